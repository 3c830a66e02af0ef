"""Sealing and opening of whole datasets, on one machine or many.

:func:`seal_batch` and :func:`open_batch` do the work on some objects and know no engine: they are what a worker of any engine calls.
:func:`seal_dataset` and :func:`open_dataset` run them on Dask (``pip install roundel[dask]``), and ``roundel-dataset`` is these as a command.
"""

from .batch import Result, open_batch, seal_batch
from .run import Manifest, local_client, open_dataset, seal_dataset

__all__ = [
    "Manifest",
    "Result",
    "local_client",
    "open_batch",
    "open_dataset",
    "seal_batch",
    "seal_dataset",
]
