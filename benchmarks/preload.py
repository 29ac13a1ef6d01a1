"""Loaded once by the bound's forkserver."""

import io

import matplotlib

matplotlib.use("agg")
import matplotlib.backends.backend_svg
import matplotlib.pyplot as plt

figure, axes = plt.subplots()
axes.set_title(r"$\mu$ 1")
figure.savefig(io.BytesIO(), format="svg")
plt.close(figure)
