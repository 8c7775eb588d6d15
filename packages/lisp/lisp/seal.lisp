;;;; What the shipped worker does last. Loading the system for its own sake does not.

(in-package :hawser-worker)

(defun seal ()
  "Deletes the packages of the worker, so that evaluated code can neither reach nor redefine it. Returns the function START."
  (mapc #'delete-package *worker-packages*)
  #'start)
