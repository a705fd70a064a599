"""A simulation on a Dask cluster.

Does it matter where the replicates of a simulation run?

The script starts a Dask cluster of two worker processes on this machine (for a real one, give `Client` the address of
its scheduler), runs a simulation there, runs it again in this process, and compares every recorded number bit by bit.
It needs `pip install 'theorycalc[plots,dask]'`.

**Figure.** The run on the cluster against the theory for networks of this size: the distance of every loss and gain
from its prediction in standard errors, with the band inside which gains agree, and observations against predictions.

**Sizes.** n = 500, d = 250, N = 375, 20 draws for each of five α (`--small`: n = 100, 4 draws, two α). Activation
tanh(x + 1), teacher H_1 + H_2/√2, ridge 1/10, noise of standard deviation 1/2, the step on the true residual.
"""

import sys

from distributed import Client, LocalCluster

import theorycalc as tc

SIZE = {"n": 500, "alpha": [0.1, 0.2, 0.3, 0.4, 0.45], "replicates": 20, "seed": 0}
if "--small" in sys.argv:
    SIZE = {"n": 100, "alpha": [0.1, 0.3], "replicates": 4, "seed": 0}
PROBLEM = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")


def main() -> None:
    workers = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**workers) as cluster, Client(cluster) as client:
        there = tc.simulate(PROBLEM, **SIZE, executor=client.get_executor(pure=False))
    here = tc.simulate(PROBLEM, **SIZE)
    comparison = tc.compare(there)
    with tc.plots.house_style():
        tc.plots.save(comparison.plot(), "dask_cluster.svg")

    print("test gain  on the cluster       in this process      theory, this n")
    predicted = [row["predicted"] for row in comparison.rows if row["quantity"] == "test_gain"]
    for far, near, expected in zip(there.rows, here.rows, predicted, strict=True):
        shown = [f"{row['test_gain']:.6f} ± {row['test_gain_se']:.6f}" for row in (far, near)]
        print(f"α = {far['alpha']:<5g}  {shown[0]}  {shown[1]}  {expected:.6f}")
    same = sum(a == b for a, b in zip(there.records, here.records, strict=True))
    print(f"\n{same} of {len(here.records)} records are the same to the last bit.\n{comparison.verdict_text}")


if __name__ == "__main__":  # worker processes import this file
    main()
