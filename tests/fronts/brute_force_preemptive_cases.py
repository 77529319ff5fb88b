"""Small systems under preemptive policies with overheads, in plain values."""

from fronts.brute_force_builders import modulated, overhead, parts, plain, windows
from msj import Erlang, Exponential, Hyperexponential
from msj.disciplines.divisor_filling import DivisorFilling
from msj.disciplines.first_fit import FirstFit
from msj.disciplines.server_filling import ServerFilling

ONE, QUICK = Exponential(mean=1), Exponential(mean="1/2")
ERLANG = Erlang(stages=2, mean=1)
VARIABLE = Hyperexponential(rates=[3, "1/2"], probabilities=["1/2", "1/2"])
HALF = [0.5, 0.5]

#: By name: (plain values, shares of the classes, arrival rate, most jobs).
PREEMPTIVE = {
    "server-filling, snapshot": (
        parts(2, plain(1, ONE), plain(2, ERLANG), overhead=overhead(snapshot=QUICK), rule=ServerFilling()),
        HALF,
        0.02,
        6,
    ),
    "server-filling, transfer by an Erlang law": (
        parts(2, plain(1, VARIABLE), plain(2, ONE), overhead=overhead(transfer=ERLANG), rule=ServerFilling()),
        HALF,
        0.01,
        6,
    ),
    "server-filling on four servers, snapshot and transfer, a free class": (
        parts(
            4,
            plain(1, ONE),
            plain(2, ONE, pays=False),
            plain(4, ONE),
            overhead=overhead(snapshot=QUICK, transfer=ONE),
            rule=ServerFilling(),
        ),
        [0.5, 0.25, 0.25],
        0.009,
        5,
    ),
    "server-filling, a class that is not preemptible": (
        parts(
            2,
            plain(1, ERLANG, preemptible=False),
            plain(1, ONE),
            plain(2, ONE),
            overhead=overhead(snapshot=ERLANG, transfer=QUICK),
            rule=ServerFilling(),
        ),
        [0.3, 0.3, 0.4],
        0.008,
        5,
    ),
    "server-filling, snapshot and transfer, breakdowns together and speeds": (
        parts(
            2,
            plain(1, ERLANG, preemptible=False),
            plain(2, ONE),
            environment=[
                windows(Exponential(mean=5), ONE, [2], "any"),
                modulated([[-1, 1], [2, -2]], speed=[1.0, 0.25]),
            ],
            overhead=overhead(snapshot=QUICK, transfer=ERLANG),
            rule=ServerFilling(),
        ),
        HALF,
        0.003,
        5,
    ),
    "preemptive first-fit, snapshot and transfer, a free class, maintenance": (
        parts(
            3,
            plain(2, ONE),
            plain(1, ERLANG),
            plain(3, ONE, pays=False),
            environment=[windows(Erlang(stages=2, mean=4), QUICK, [3])],
            overhead=overhead(snapshot=QUICK, transfer=QUICK),
            rule=FirstFit(preemptive=True, window=2),
        ),
        [0.4, 0.4, 0.2],
        0.002,
        4,
    ),
    "divisor-filling, snapshot and transfer, a class that is not preemptible": (
        parts(
            3,
            plain(1, ONE),
            plain(1, ERLANG, preemptible=False),
            plain(3, ONE),
            overhead=overhead(snapshot=QUICK, transfer=QUICK),
            rule=DivisorFilling(),
        ),
        [0.4, 0.3, 0.3],
        0.009,
        5,
    ),
}
