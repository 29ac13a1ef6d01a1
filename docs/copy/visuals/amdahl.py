# A plain script of pyplot: figmill needs no function in it.
import matplotlib.pyplot as plt
import numpy as np

serial = 0.05  # the share of the work that only one core can do
cores = np.arange(1, 65)
speedup = 1 / (serial + (1 - serial) / cores)

plt.figure(figsize=(6, 3.4))
plt.plot(cores, cores, "--", color="#767c83")
plt.plot(cores, speedup, color="#4a90c4", linewidth=2.2)
plt.axhline(1 / serial, color="#c44444")
plt.text(2, 1 / serial + 1, f"the limit, 1/{serial:g}")
plt.text(27, 24.5, "if all work were parallel")
plt.title(f"64 cores are {speedup[-1]:.0f} times as fast if {serial:.0%} is serial", loc="left")
plt.xlabel("Cores")
plt.ylabel("Speedup")
plt.xlim(1, 64)
plt.ylim(0, 28)
plt.gca().spines[["top", "right"]].set_visible(False)
plt.show()
