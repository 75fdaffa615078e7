"""Names of the package itself that can be mentioned: functions of complex numbers, TorchScript.

Each raises when it is called.
"""

from wend._absent import absent_names

COMPLEX = "complex istft polar stft view_as_complex view_as_real"
SCRIPT = "DeviceObjType ScriptClass ScriptFunction ScriptModule ScriptObject"
SYMBOLIC = "SymBool SymFloat SymInt"
DEVICES = "Event Stream"
FILES = "PyTorchFileReader PyTorchFileWriter"

globals().update(
    absent_names(
        "torch",
        COMPLEX,
        "wend has no complex numbers; keep real and imaginary parts as two tensors",
    )
    | absent_names("torch", SCRIPT, "a program runs as written")
    | absent_names("torch", SYMBOLIC, "sizes are ordinary integers")
    | absent_names("torch", DEVICES, "wend runs on the CPU, where work is in order")
    | absent_names("torch", FILES, "use torch.save and torch.load")
)
