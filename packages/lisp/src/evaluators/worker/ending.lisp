;;;; The end of a worker that nobody listens to any more: everything that evaluated code has started goes with it.

(in-package :hawser-worker)

(defun end-everything ()
  (end-soon)
  (ignore-errors (mapc #'end-process (descendants *process*)))
  (end-process-group))

(defun descendants (process)
  (loop for child in (children process)
        collect child
        append (descendants child)))

(defun children (process)
  (loop for file in (directory (concatenate 'string "/proc/" (decimal process) "/task/*/children"))
        append (with-open-file (stream file) (read-decimals stream))))

(defun read-decimals (stream)
  (let ((numbers '()) (number nil))
    (loop for char = (read-char stream nil)
          for digit = (and char (digit-char-p char))
          do (cond (digit (setf number (+ (* 10 (or number 0)) digit)))
                   (number (push number numbers) (setf number nil)))
          while char)
    numbers))
