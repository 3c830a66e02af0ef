"""Proofs, measurements, plans and predictions, as records."""

import pandas as pd
import pytest

import roundel


@pytest.fixture(autouse=True)
def built_in_estimates(monkeypatch, tmp_path):
    """Whatever was measured on this machine is not read."""
    monkeypatch.setenv("ROUNDEL_PROFILE", str(tmp_path / "none"))


def test_verify_and_bench():
    report = roundel.verify("serpent")
    assert report["totals"]["failed"] == 0 and report["totals"]["passed"] > 1000
    points = roundel.bench("aes", strategies=["reference"], modes="ctr", sizes=[64])
    ours = [point for point in points if point["strategy"] == "reference"]
    assert {(point["operation"], point["bytes"]) for point in ours} == {("ctr", 64)}
    assert all(point["ns_per_call"] > 0 and point["cycles_per_byte"] > 0 for point in ours)
    with pytest.raises(roundel.ParameterError, match="modes are key"):
        roundel.bench("aes", modes="ofb")


def test_plan():
    table = pd.DataFrame(roundel.plan(1 << 20, "serpent", mode="ctr", key_bits=256, cores=1))
    assert list(table["planned"]) == [True] + [False] * (len(table) - 1)
    assert set(table["strategy"]) <= {strategy["name"] for strategy in roundel.strategies("serpent")}
    assert table["strategy"].is_unique and len(table) > 1 and not table["measured"].any()
    assert set(table["cipher"]) == {"serpent"} and set(table["bytes"]) == {1 << 20} and set(table["threads"]) == {1}
    allowed = table[table["excluded"].isna()]["predicted_ns"]
    assert allowed.is_monotonic_increasing and (allowed > 0).all()


def test_plan_heeds_what_is_allowed_and_asked():
    def chosen(**options):
        return roundel.plan(64, "twofish", cores=1, **options)[0]

    constant_time = {one["name"] for one in roundel.strategies("twofish") if one["constant_time"]}
    assert chosen()["strategy"] in constant_time and chosen()["excluded"] is None
    others = roundel.plan(64, "twofish", cores=1)[1:]
    excluded = [one for one in others if one["excluded"]]
    assert excluded and not {one["strategy"] for one in excluded} & constant_time
    leaky = chosen(allow_timing_leaks=True)
    assert leaky["predicted_ns"] <= chosen()["predicted_ns"]
    assert chosen()["setup_ns"] == 0
    fresh, shared = chosen(messages_per_key=1), chosen(messages_per_key=1000)
    assert fresh["setup_ns"] > 0 and shared["predicted_ns"] < fresh["predicted_ns"]
    assert roundel.plan(1 << 30, "twofish", cores=8)[0]["threads"] == 8


def test_predict():
    table = pd.DataFrame(roundel.predict([1 << 20, 1 << 30], "aes", mode="ctr", cores=[1, 4], price=3.6))
    assert list(zip(table["bytes"], table["cores"])) == [(1 << 20, 1), (1 << 20, 4), (1 << 30, 1), (1 << 30, 4)]
    assert (table["seconds"] > 0).all() and (table["cost_per_terabyte"] > 0).all()
    one_core = table[table["cores"] == 1]
    assert one_core["seconds"].is_monotonic_increasing
    # A thousandth a second: the price of the seconds that 10^12 bytes take.
    assert one_core["cost_per_terabyte"].tolist() == pytest.approx((1e-3 * 1e12 * one_core["seconds"] / one_core["bytes"]).tolist())
    assert table["uncertainty"].isna().all()  # nothing was measured here
    sealed, = roundel.predict(1 << 20, cores=1)
    assert (sealed["mode"], sealed["cipher"], sealed["key_bits"]) == ("seal", "aes", 128) and sealed["cost_per_terabyte"] is None


def test_questions_that_make_no_sense():
    for question, says in (
        (lambda: roundel.plan(64, "aes", mode="ofb"), "the modes are ecb"),
        (lambda: roundel.plan(64, "rot13"), "rot13"),
        (lambda: roundel.plan(64, "aes", key_bits=129), "no whole bytes"),
        (lambda: roundel.predict(64, "aes", key_bits=64), "128, 192 or 256"),
        (lambda: roundel.predict([64], "rijndael-block256", mode="gcm", key_bits=256), "block"),
    ):
        with pytest.raises(roundel.ParameterError, match=says):
            question()
