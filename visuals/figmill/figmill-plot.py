import matplotlib.pyplot as plt

import figmill

figmill.style()
epochs = [0, 1, 2, 3, 4]
plt.plot(epochs, [2.3, 1.1, 0.8, 0.7, 0.66], label="training")
plt.plot(epochs, [2.4, 1.3, 1.1, 1.05, 1.04], label="validation")
plt.xticks(epochs)
plt.xlabel("Epoch")
plt.title("Loss")
plt.legend()
plt.show()
