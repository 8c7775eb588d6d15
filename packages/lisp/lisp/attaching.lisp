;;;; The worker as a thread in an image that the user has started.

(in-package :hawser-worker)

(defun attach (commands control)
  "Performs operations from the socket COMMANDS in this thread, and takes interrupts from CONTROL, until they are closed."
  (setf *attached* t
        *worker-thread* (current-thread)
        *process* (process-id)
        *commands-wire* (socket-wire commands)
        *control-wire* (socket-wire control))
  ;; Other threads must not see what operations set.
  (let ((*package* (find-package :common-lisp-user)) (*readtable* (copy-readtable))
        (- nil) (+ nil) (++ nil) (+++ nil) (* nil) (** nil) (*** nil) (/ nil) (// nil) (/// nil))
    (unwind-protect
         (progn
           (send (list :object "hello" (engine-name)))
           (start-threads)
           (catch 'detached
             (let ((*serving* t))
               (loop (catch 'idle (call-refusing-exit #'serve-commands))))))
      (setf *attached* :over)
      ;; The image stays as it was.
      (ignore-errors (when *watched* (funcall *watched*)))
      (ignore-errors (loop for (nil . undo) in *traced* do (funcall undo)))
      (dolist (socket (list commands control))
        (ignore-errors (external-call "SB-BSD-SOCKETS" "SOCKET-CLOSE" socket))))))
