"""How far malicious nodes can move a prediction, exactly or soundly; called itself, it certifies a model."""

from protocols.front import answering

answering(__name__, "securenb.certify.certificate:certify")
