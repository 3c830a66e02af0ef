"""The command `roundel-dataset`."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from pathlib import Path
from typing import Any

from ..errors import RoundelError
from .run import Manifest, local_client, open_dataset, seal_dataset

#: As the command line program: all done, something else, some of several failed.
OK, OTHER, SOME_FAILED = 0, 1, 3


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; gives its exit code."""
    options = _parser().parse_args(arguments)
    try:
        manifest = _run(options)
    except (RoundelError, OSError) as error:
        print(f"roundel-dataset: {error}", file=sys.stderr)
        return OTHER
    text = manifest.json(objects=options.objects)
    if options.manifest:
        Path(options.manifest).write_text(text)
    else:
        print(text, end="")
    return OK if manifest.complete else SOME_FAILED


def _run(options: argparse.Namespace) -> Manifest:
    shared: dict[str, Any] = {
        "columns": [name for name in (options.columns or "").split(",") if name],
        "source_options": json.loads(options.source_options),
        "target_options": json.loads(options.target_options),
        "replace": options.replace,
        "progress": None if options.quiet else _show,
    }
    with _client(options) as client:
        if options.verb == "seal":
            keys = [*options.recipient, *map(Path, options.recipients_file)]
            return seal_dataset(options.source, options.target, keys, client=client, **shared)
        return open_dataset(options.source, options.target, options.identity, client=client, **shared)


@contextlib.contextmanager
def _client(options: argparse.Namespace) -> Any:
    if not options.scheduler:
        with local_client(options.workers) as client:
            yield client
        return
    from distributed import Client, Security

    security = None
    if options.tls_ca:
        security = Security(
            require_encryption=True,
            tls_ca_file=options.tls_ca,
            tls_client_cert=options.tls_cert,
            tls_client_key=options.tls_key,
        )
    with Client(options.scheduler, security=security) as client:
        yield client


def _show(manifest: Manifest) -> None:
    done = len(manifest.results)
    size = sum(result.text_bytes for result in manifest.results) / 1e6
    failed = f", {len(manifest.failures)} failed" if manifest.failures else ""
    print(f"{done} of {manifest.total} objects, {size:.0f} MB, {manifest.seconds:.1f} s{failed}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="roundel-dataset",
        description="Seals or opens every object of a folder or bucket on the workers of a Dask cluster. "
        "May be stopped and run again: what is done is recognised. The manifest goes to standard output.",
        epilog="Exit codes: 0 every object is at its target; 1 other failure; 2 usage; 3 some objects failed, see the manifest.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, what in [("seal", "seal objects for public keys"), ("open", "open sealed objects")]:
        sub = verbs.add_parser(verb, help=what)
        sub.add_argument("source", metavar="SRC", help="folder or bucket: a path, s3://..., gs://..., hdfs://...")
        sub.add_argument("target", metavar="DST", help="where the objects go, under the same names")
        if verb == "seal":
            sub.add_argument("-r", "--recipient", action="append", default=[], metavar="KEY", help="public key: age1... or ssh-...")
            sub.add_argument("-R", "--recipients-file", action="append", default=[], metavar="FILE", help="file of public keys, one a line")
        else:
            sub.add_argument(
                "-i", "--identity", action="append", required=True, metavar="FILE", help="key file, which every worker reads for itself"
            )
        sub.add_argument("--columns", metavar="NAME,NAME", help="only these columns of Parquet files")
        sub.add_argument("--scheduler", metavar="ADDRESS", help="a running cluster, tls://host:8786 (default: one on this machine)")
        sub.add_argument("--tls-ca", metavar="FILE", help="certificate authority of the cluster")
        sub.add_argument("--tls-cert", metavar="FILE", help="this client's certificate")
        sub.add_argument("--tls-key", metavar="FILE", help="its key")
        sub.add_argument("--workers", type=int, metavar="N", help="processes of the cluster on this machine (default: a core each)")
        sub.add_argument("--source-options", default="{}", metavar="JSON", help="fsspec's storage options of SRC")
        sub.add_argument("--target-options", default="{}", metavar="JSON", help="fsspec's storage options of DST")
        sub.add_argument("--replace", action="store_true", help="do everything again and replace what is there")
        sub.add_argument("--manifest", metavar="FILE", help="write the manifest there")
        sub.add_argument("--objects", action="store_true", help="with a record for each object")
        sub.add_argument("--quiet", action="store_true", help="no progress on standard error")
    return parser


if __name__ == "__main__":
    sys.exit(main())
