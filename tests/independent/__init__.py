"""Other people's theories of the untrained network, in their letters: nothing here imports theorycalc."""
