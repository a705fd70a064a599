"""Other people's theories of the untrained network, written from their papers: nothing here imports theorycalc."""
