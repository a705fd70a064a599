"""Other people's theories of the untrained network, in their letters: nothing here imports theorycalc.

by_hand: our formulas, other tools; Adlam–Pennington's equations are those of m_1, m_2.
"""
