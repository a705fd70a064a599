"""The index of the API by task: a title, a sentence and the names for each."""

from __future__ import annotations

from typing import NamedTuple


class Task(NamedTuple):
    """One part of the index: its title, a sentence, and its names, where ``plots.*`` are all names of a room."""

    title: str
    about: str
    names: str


TASKS = (
    Task(
        "Describe a network",
        "The activation, the labels that it learns (the teacher), its sizes or their ratios, ridge, noise and options, "
        "all in one `Problem`.",
        "Problem Inputs activation Activation Teacher coefficients list_activations ActivationList",
    ),
    Task(
        "Translate PyTorch, scikit-learn and other papers",
        "Learning rate, weight decay and initialisation as they are written elsewhere, in ours and back.",
        "ridge_from ridge_to conventions.*",
    ),
    Task(
        "Limits of large networks",
        "Losses and gains for n → ∞, in each window of the step n^α, in float64 or with proven digits.",
        "predict Prediction staircase Staircase scaling_law ScalingLaw traces window window_bounds",
    ),
    Task(
        "Networks of real size",
        "Losses, gains and error rates of n samples, d inputs and N neurons after a step of any size, and the "
        "best learning rate, ridge, activation and sizes.",
        "step FiniteStep error_rate ErrorRate best best_step best_ridge rank_activations Ranking samples_needed "
        "draws_needed",
    ),
    Task(
        "Spectra",
        "Eigenvalues of the features and singular values of the weights: the bulk, its edges, and the outliers that a "
        "step drives out of it.",
        "spectrum Spectrum weight_spectrum WeightSpectrum",
    ),
    Task(
        "Simulate and compare",
        "Train the network itself, and judge a theory by the standard errors of its runs or of your own measurements.",
        "simulate Run load_run compare Comparison",
    ),
    Task(
        "Your own features",
        "Predict ridge fits to your own data, or to the features of your own network, for every number of points.",
        "features FeaturePool FeatureLosses FeatureComparison gcv CrossValidation features_of feature_batches "
        "feature_gain FeatureGain",
    ),
    Task("Sweeps", "Grids of problems, in memory or streamed to a file.", "sweep Sweep"),
    Task(
        "LaTeX and documents",
        "Formulas and numbers of a problem for a paper, as LaTeX, a sheet, or one HTML report.",
        "latex sheet Sheet report Report",
    ),
    Task(
        "Plots",
        "Every result has `.plot()`; these functions draw figures of several results, save them, and give your own "
        "figures the same style.",
        "plots.*",
    ),
    Task("Symbols", "The formulas as sympy objects, to read, change, differentiate or print.", "symbolic.*"),
    Task(
        "Errors",
        "`except TheoryError` catches every error that bad input causes; an interruption keeps the finished part.",
        "TheoryError DomainError ExpressionError ArgumentError PrecisionError BudgetError budget SimulationError "
        "SweepError SimulationInterrupted SweepInterrupted RankingInterrupted",
    ),
)
