import matplotlib.pyplot as plt

steps = [0, 1, 2, 3, 4]
plt.plot(steps, [2.3, 1.1, 0.8, 0.7, 0.66], color="#4a90c4", label="training")
plt.plot(steps, [2.4, 1.3, 1.1, 1.05, 1.04], "--", color="#c87b2a", label="validation")
plt.xticks(steps)
plt.xlabel("Epoch")
plt.ylabel("Loss")
plt.legend()
plt.show()
