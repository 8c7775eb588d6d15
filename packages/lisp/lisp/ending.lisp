;;;; The end of a worker whose server is gone: it ends every process that evaluated code has started.

(in-package :hawser-worker)

(defvar *worker-thread* nil "The thread that performs operations.")
(defvar *process* nil "The number of the process that the worker was started in.")

(defvar *attached* nil
  "True when attached to an image of the user, which must not be ended; :OVER when the server has disconnected.")

(defvar *serving* nil "True in the thread of an attached worker while it can be left by a throw to DETACHED.")

(defun in-worker-thread-p () (eq (current-thread) *worker-thread*))

(defun end-everything ()
  (when *attached* (detach))
  (end-soon)
  (ignore-errors (mapc #'end-process (descendants *process*)))
  (end-process-group))

(defun descendants (process)
  (loop for child in (children process)
        collect child
        append (descendants child)))

(defun children (process)
  (loop for file in (directory (concatenate 'string "/proc/" (decimal process) "/task/*/children"))
        ;; A thread may end between the two steps.
        append (ignore-errors (with-open-file (stream file) (read-decimals stream)))))

(defun read-decimals (stream)
  (let ((numbers '()) (number nil))
    (loop for char = (read-char stream nil)
          for digit = (and char (digit-char-p char))
          do (cond (digit (setf number (+ (* 10 (or number 0)) digit)))
                   (number (push number numbers) (setf number nil)))
          while char)
    numbers))

(defun end-after-failure (condition)
  "Ends the process when a thread of the worker fails: without it, the worker can't answer."
  (ignore-errors (write-past-lisp (concatenate 'string "A thread of the worker failed: " (condition-text condition 500))))
  (if *attached* (detach) (end-process-group)))

(defun detach ()
  "Ends the worker, but not the image, which belongs to the user."
  (setf *attached* :over)
  (when (in-worker-thread-p) (throw 'detached nil))
  ;; The worker may have ended by itself, or be about to.
  (ignore-errors (interrupt-thread *worker-thread* (lambda () (when *serving* (throw 'detached nil)))))
  (end-this-thread))
