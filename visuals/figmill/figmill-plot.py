import matplotlib.pyplot as plt

import figmill

figmill.style()
epochs = [0, 1, 2, 3, 4]
for name, loss in {"training": [2.3, 1.1, 0.8, 0.7, 0.66], "validation": [2.4, 1.3, 1.1, 1.05, 1.04]}.items():
    plt.plot(epochs, loss, label=name)
    plt.text(4.3, loss[-1], name, va="center")
plt.xticks(epochs)
plt.yticks([0.5, 1, 1.5, 2, 2.5])
plt.xlabel("Epoch")
plt.title("Loss")
plt.show()
