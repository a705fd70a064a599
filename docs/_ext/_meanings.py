"""The meaning of each letter of the formulas in words, and the page of docs/theory that defines it.

The glossary of the documentation is made of these tables; a test keeps them as complete as those of the symbols.
"""

from __future__ import annotations

from typing import NamedTuple


class Meaning(NamedTuple):
    """One entry of the glossary: Markdown with formulas, and the name of a page."""

    words: str
    page: str


#: Letters without an index, by the plain names of ``symbols.LATEX``.
LETTERS = {
    "lambda": Meaning(
        r"ridge of the fit, $\frac1n\lVert y - Fa\rVert^2 + \lambda\lVert a\rVert^2$; `ridge` outside of formulas",
        "setting",
    ),
    "psi": Meaning("inputs by neurons, $d/N$", "setting"),
    "phi": Meaning("inputs by samples, $d/n$", "setting"),
    "n": Meaning("number of samples of the ridge fit", "setting"),
    "eta": Meaning(r"size of the gradient step, $\eta = n^\alpha$", "setting"),
    "a": Meaning(r"non-linear strength by ridge, $c_{>1}^2/\lambda$", "traces"),
    "b": Meaning(r"linear strength by ridge, $c_1^2/\lambda$", "traces"),
    "a_s": Meaning("part of its label that a point of the step's batch keeps on average", "channels"),
    "a_f": Meaning("part of its label that a point of the fit keeps on average", "channels"),
    "b_s": Meaning("part of the mean of labels that flips leave in the step, 1 − 2q_s", "channels"),
    "b_f": Meaning("part of the mean of labels that flips leave in the fit, 1 − 2q_f", "channels"),
    "g_a": Meaning(r"scale of the second layer, the standard deviation of $\sqrt N a_i$", "options"),
    "c_1": Meaning(r"linear Hermite coefficient of the activation, $\mathrm{E}[\sigma(Z)Z]$", "hermite"),
    "c_rest": Meaning(
        r"strength of all that is not linear in the activation, $c_{>1}^2 = \sum_{k \geq 2} k!\,c_k^2$", "hermite"
    ),
    "c_0_b": Meaning(r"$c_0$ of the neurons with the bias $b$", "kinds"),
    "f_bar": Meaning(r"the mean of a network's initial output, of law $\mathcal N(0,g_a^2c_0^2)$", "intercept"),
    "c_1_b": Meaning(r"$c_1$ of the neurons with the bias $b$", "kinds"),
    "c_2_b": Meaning(r"$c_2$ of the neurons with the bias $b$", "kinds"),
    "c_rest_b": Meaning(r"$c_{>1}$ of the neurons with the bias $b$", "kinds"),
    "theta_b": Meaning(r"$\theta$ of the neurons with the bias $b$", "kinds"),
    "rate": Meaning("error rate before the step, of labels sign(t)", "error_rate"),
    "fit_variance": Meaning("variance of the fit at points of given $t$", "error_rate"),
    "load": Meaning(r"$\mathrm{E}_b[c_1^2\theta]/\psi$, how strongly neurons fit linear functions", "kinds"),
    "s": Meaning(r"$(\psi/\phi)m_1$, the limit of $\operatorname{tr} R_0$", "traces"),
    "t": Meaning(r"$(\psi/\phi)m_2$, the limit of $\operatorname{tr} \tilde X^\top R_0\tilde X/d$", "kinds"),
    "g": Meaning(r"$1/(1+x\tau_j)$, the share of a linear function along an eigenvector that is not fitted", "inputs"),
    "tau_j": Meaning("an eigenvalue of the inputs' covariance, of mean 1", "inputs"),
    "tau_bar": Meaning(r"the mean of $\tau_j$ over what is not fitted of the teacher", "inputs"),
    "k_star": Meaning("the share of a linear teacher that is not fitted before the step", "inputs"),
    "aligned": Meaning("the share of it that the step's direction explains", "inputs"),
    "c_star": Meaning(r"strength of the teacher, $c_\star^2 = \sum_{k \geq 1} k!\,c_{\star,k}^2$", "setting"),
    "noise": Meaning("standard deviation of the label noise; `noise` in Python", "setting"),
    "slope_variance": Meaning(
        r"variance of the activation's derivative at a standard normal number, $\sum_{k \geq 2} k\,k!\,c_k^2$",
        "turning",
    ),
    "rho": Meaning(r"cosine between the step's direction $\beta$ and the teacher's $\beta_\star$", "direction"),
    "rho_tilde": Meaning(
        r"the same for a step on the true residual, whose direction is $\tilde\beta = X^\top(y - f_0)/n$", "options"
    ),
    "kappa": Meaning(r"limit of $\lVert\beta\rVert^2$", "direction"),
    "kappa_tilde": Meaning(r"limit of $\lVert\tilde\beta\rVert^2$", "options"),
    "tau": Meaning(
        r"addition of the gradient's rest to the second spike, $h^2 + \tau$, in a literal network", "turning"
    ),
    "v": Meaning(
        r"variance that the gradient's rest adds to a neuron per $u^2$, $\phi_0 \operatorname{Var}\sigma'(Z)\,"
        r"\mathrm{E}r^2$",
        "dressed",
    ),
    "k": Meaning("ratio of the traces, $m_2/m_1$", "traces"),
    "chi": Meaning(r"slope factor, $(c_{>1}^2 + c_1^2k^2)/\lambda$", "traces"),
    "p": Meaning(
        r"share of the samples' directions that the fit leaves, $\lambda \operatorname{tr} R_0 = \lambda\psi m_1/\phi$",
        "traces",
    ),
    "u": Meaning(r"the same for the neurons, counted by $n$: $p + \phi/\psi - 1$", "traces"),
    "w": Meaning("product of the two shares, $pu$", "traces"),
    "theta": Meaning(r"share of the neurons' directions that the fit leaves, $u\psi/\phi$", "pencil"),
    "vartheta": Meaning(r"size of the step's rank-one part, $\vartheta = |c_1|\eta\sqrt\kappa$", "weights"),
    "sigma_1_squared": Meaning("square of the singular value of $W$ outside the bulk", "weights"),
    "overlap_a": Meaning("squared overlap of its left vector with the second layer", "weights"),
    "overlap_direction": Meaning("squared overlap of its right vector with the direction of the step", "weights"),
    "overlap_teacher": Meaning(r"squared overlap of its right vector with $\beta_\star$", "weights"),
    "zeta": Meaning(
        r"effect of the row norms of a Gaussian first layer, $2c_2^2 s\theta/\psi$ with $s = \psi m_1/\phi$", "options"
    ),
    "D": Meaning(r"common denominator of the slopes, $1 + \chi(p + u)$", "traces"),
    "m_1": Meaning(r"limit of $(\phi/\psi)\operatorname{tr} R_0$, $R_0 = (F_0F_0^\top + \lambda n I)^{-1}$", "traces"),
    "m_2": Meaning(r"limit of $(\phi/\psi)\operatorname{tr}(\widetilde{X}^\top R_0 \widetilde{X})/d$", "traces"),
    "m_1_slope": Meaning(r"derivative of $m_1$ in $\lambda$, negative", "traces"),
    "m_2_slope": Meaning(r"derivative of $m_2$ in $\lambda$, negative", "traces"),
    "ell": Meaning(r"number of the window: powers up to $\ell$ of the step's direction are learnt", "windows"),
    "alpha": Meaning(r"exponent of the step, $\eta = n^\alpha$", "windows"),
    "x": Meaning("the variable of a polynomial", "hermite"),
    "Psi": Meaning(
        r"the part that both equations of $m_1$ and $m_2$ share, $c_1^2m_1m_2(\lambda\psi m_1/\phi - 1)$", "traces"
    ),
}

#: Letters with an index, by the plain names of ``symbols.INDEXED``.
INDEXED_LETTERS = {
    "q": Meaning("coefficients of the quartic in $m_1$", "traces"),
    "c": Meaning(r"Hermite coefficients of the activation, $\mathrm{E}[\sigma(Z)H_k(Z)]/k!$", "hermite"),
    "c_star": Meaning("Hermite coefficients of the teacher", "setting"),
    "r": Meaning("correlation of the teacher's $H_p$ with the spikes", "training_gain"),
    "S": Meaning(r"$(2M + 1)\binom{2M}{M}/4^M$: cost of the missing constant", "training_gain"),
    "T": Meaning(
        r"weight of the even powers on the constant, $\sum_j (-1)^j (2j - 1)!!\,c_{\star,2j}\,\rho^{2j}$",
        "training_gain",
    ),
    "B": Meaning("squared norm of the part that the spikes explain beyond the linear one", "training_gain"),
    "Delta": Meaning("gain in training loss (ridge objective, penalty included) by the step", "training_gain"),
    "Lambda": Meaning("gain in test loss by the step", "test_gain"),
    "Lambda_clean": Meaning("gain in test loss on labels that are not corrupted", "channels"),
    "L_clean": Meaning("test loss on labels that are not corrupted", "channels"),
    "F": Meaning(r"features after the step, with the spikes up to $\ell$", "windows"),
    "H": Meaning("probabilists' Hermite polynomial", "hermite"),
    "spike": Meaning("size of the $k$-th spike of the features", "windows"),
    "L_tr": Meaning(r"training loss (ridge objective, penalty included); $\ell = 0$ is before the step", "test_gain"),
    "L_te": Meaning(r"test loss, noise included; $\ell = 0$ is before the step", "test_gain"),
    "E_tr": Meaning(
        r"training error (without the penalty), $\frac1n\lVert\tilde y - F\hat a\rVert^2$; $\ell = 0$ is before the "
        "step",
        "test_gain",
    ),
}

#: Matrices, vectors and whole tables, by the plain names of ``symbols.MATRICES`` and ``symbols.TABLES``.
ARRAYS = {
    "F_0": Meaning(r"features before the step, $\sigma(\widetilde{X}W_0^\top)$, $n \times N$", "setting"),
    "X": Meaning(r"inputs of the ridge fit, $n \times d$", "setting"),
    "beta": Meaning(r"direction of the gradient step, $X^\top y/n$", "direction"),
    "a": Meaning("second layer before the fit, $N$ numbers", "setting"),
    "Omega": Meaning("inverse of the spikes' Gram matrix", "training_gain"),
    "Omega_inverse": Meaning("Gram matrix of the spikes", "training_gain"),
    "xi": Meaning(r"powers in Hermite polynomials, $x^i = \sum_p \xi_{i,p} H_p(x)$", "hermite"),
    "xi_inverse": Meaning("Hermite polynomials in powers", "hermite"),
    "xi_positive": Meaning(r"$\xi$ without the constant", "hermite"),
    "r": Meaning("the numbers $r_p$ as a vector", "training_gain"),
}

#: Letters of the texts that no formula of ``tc.symbolic`` has, by their LaTeX.
LETTERS_OF_THE_TEXTS = {
    "d": Meaning("number of inputs", "setting"),
    "N": Meaning("number of neurons", "setting"),
    r"\sigma": Meaning("activation of the first layer", "setting"),
    r"\sigma_\star": Meaning("teacher: labels are $\\sigma_\\star(\\beta_\\star^\\top x)$ with noise", "setting"),
    r"\beta_\star": Meaning("direction that the labels depend on", "setting"),
    "h": Meaning("projection of an input on the step's direction, divided by its standard deviation", "windows"),
    "K": Meaning(r"spikes that are there: the $k \leq \ell$ with $c_k \neq 0$", "missing_coefficients"),
    "s": Meaning(r"limit of $\operatorname{tr} R_0$, $\psi m_1/\phi$", "traces"),
    "R_0": Meaning(r"resolvent before the step, $(F_0F_0^\top + \lambda n I)^{-1}$", "traces"),
    "w_k": Meaning(
        r"weight of $H_k$ in forms of $R_0$: $w_0 = s$, $w_1 = \psi m_2/\phi$, else $k!\,s$; $w$ alone is another",
        "training_gain",
    ),
    "P": Meaning(r"forms of $R_0$ between powers of $h$, $\sum_k w_k\xi_{i,k}\xi_{j,k}$", "training_gain"),
    "q": Meaning(
        "forms of $R_0$ between powers of $h$ and the labels; with the quartic, $q_j$ is its coefficient",
        "training_gain",
    ),
    r"\hat u": Meaning(
        r"direction that the step sees of a teacher of several, $\mathrm{E}\nabla g/|\mathrm{E}\nabla g|$",
        "several_directions",
    ),
    r"g_w": Meaning("scale of the first layer, the length of its rows", "options"),
    r"\theta_b": Meaning(r"$\theta$ of the neurons with the bias $b$", "kinds"),
}

#: Letters of the pages on finite steps, by their LaTeX; several are other things elsewhere, and say so.
LETTERS_OF_FINITE_STEPS = {
    "n_0": Meaning("number of samples of the step's own batch", "direction"),
    r"\phi_0": Meaning("inputs by samples of the step, $d/n_0$", "direction"),
    "r": Meaning("residual that the step sees, $y$ or $y - f_0$; with an index, $r_p$ is another", "turning"),
    "V": Meaning(
        r"columns $h^p$ of the spikes; for dressed features $\mathrm{E}_h[\gamma\gamma^\top/\varsigma]$", "pencil"
    ),
    "A": Meaning(r"columns $a^{\circ p}$ of the spikes", "pencil"),
    "D": Meaning(
        r"strengths of the spikes, $c_1^p c_p \eta^p \kappa^{p/2}$; elsewhere the slopes' denominator, and on the page "
        "of turning the directions that $r$ depends on",
        "pencil",
    ),
    "B_{ij}": Meaning(r"moments of the second layer, $\sum_\nu a_\nu^{i + j}$; $B_\ell$ is another", "pencil"),
    "E": Meaning(r"limit of $V^\top R_0F_0A$, zero for a step on the labels alone", "pencil"),
    r"\mathrm{Mid}": Meaning("middle matrix of Woodbury's formula, singular at outliers", "pencil"),
    "Q": Meaning(r"projections of the labels on the spikes, $(q, 0)$; $Q(u)$ is another", "pencil"),
    r"\omega": Meaning(r"direction of the initial output, $W_0^\top a$", "options"),
    r"\tilde\beta": Meaning(r"direction of a step on the true residual, $X^\top(y - f_0)/n$", "options"),
    "s_3": Meaning(r"limit of $\omega^\top\widetilde{X}^\top R_0\widetilde{X}\omega$", "options"),
    "u": Meaning(
        r"how far a neuron is moved, $\eta a_i$; elsewhere a share of directions, $p + \phi/\psi - 1$", "dressed"
    ),
    "b": Meaning(r"direction of the step, of squared length $\kappa$; elsewhere $c_1^2/\lambda$", "dressed"),
    "s_u": Meaning(r"length of a neuron after the step apart from $b$, $\sqrt{1 + u^2v}$; $s$ is another", "dressed"),
    r"\mu_0": Meaning(r"mean answer of a neuron, given $u$ and $h$", "dressed"),
    r"\mu_1": Meaning(r"its linear part, $\sum_r\alpha_r(u)\gamma_r(h)$", "dressed"),
    r"\nu^2": Meaning("variance of the rest of its answer", "dressed"),
    r"\alpha_r, \gamma_r": Meaning(r"factors of $\mu_1$; $\alpha$ alone is the exponent of the step", "dressed"),
    "Q(u)": Meaning(r"weight of a neuron in the fit, $\theta$ without a step", "dressed"),
    r"\varsigma": Meaning(r"inverse leverage of a sample, $nR_{jj} \to 1/\varsigma(h_j)$", "dressed"),
    r"\mathcal{E}": Meaning(r"forms of the inputs, $(V^{-1} + K)^{-1}$, $ks$ without a step", "dressed"),
    "Z": Meaning(
        "weight of an input beside the others, $(K^{-1} + V)^{-1}$; elsewhere a standard normal number, or a matrix "
        "of them",
        "dressed",
    ),
    "K": Meaning(
        r"strength of the linear parts, $\mathrm{E}_u[Q\alpha\alpha^\top]/\psi$; elsewhere the set of spikes", "dressed"
    ),
    "S": Meaning(
        r"matrix that turns all neurons, $X^\top\operatorname{diag}(r)X/n_0$; with an index, $S_M$ is another",
        "turning",
    ),
    "T": Meaning(
        r"covariance of the part that turns each neuron on its own, $\phi_0X^\top\operatorname{diag}(r^2)X/n_0$; with "
        r"an index, $T_\ell$ is another",
        "turning",
    ),
    r"\varpi": Meaning(r"strength of $T$, $\operatorname{Var}\sigma' - 4c_2^2$", "turning"),
    "C(u)": Meaning(r"covariance of the neurons of one $u$, of mean trace 1", "turning"),
}

#: Words of the texts.
WORDS = {
    "bulk": Meaning("the eigenvalues of the features that fill an interval, as they do before the step", "pencil"),
    "spike": Meaning(
        "a matrix of rank one that the step adds to the features, strong enough to leave the bulk", "windows"
    ),
    "outlier": Meaning("an eigenvalue outside of the bulk", "pencil"),
    "window": Meaning(r"an interval of $\alpha$ in which the same number of spikes leaves the bulk", "windows"),
    "pencil": Meaning("the theory of finite steps that keeps the leading term of each spike", "pencil"),
    "dressed features": Meaning("the theory of finite steps that follows each neuron, whatever the step", "dressed"),
    "free constant": Meaning(
        "a constant that costs the fit no penalty: an intercept, or a raw activation", "intercept"
    ),
    "raw activation": Meaning(r"an activation that keeps its mean $c_0$, as libraries have it", "intercept"),
    "corrupted label": Meaning("a label that belongs to another point, or has the wrong sign", "channels"),
    "kind of neuron": Meaning("the neurons of one bias, which share their Hermite coefficients", "kinds"),
    "error rate": Meaning("share of fresh points at which the fit has not the sign of the teacher", "error_rate"),
}
