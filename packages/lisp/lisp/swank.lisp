;;;; Swank in this image, so that SLIME sees what the agent sees.

(in-package :hawser-worker)

(defun open-swank (secret)
  "Starts a Swank server on a free port of the loopback interface. Clients must send SECRET first."
  (prepare-asdf)
  (let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
    (handler-bind ((warning #'muffle-warning))
      (unless (find-package "SWANK") (external-call "ASDF" "LOAD-SYSTEM" "swank")))
    (setf (fdefinition (find-symbol "SLIME-SECRET" "SWANK")) (lambda () secret))
    (set (find-symbol "*LOOPBACK-INTERFACE*" "SWANK") "127.0.0.1")
    (reject-strangers)
    (let ((port (external-call "SWANK" "CREATE-SERVER" :port 0 :style :spawn :dont-close t)))
      (report-findings (list (finding "swank" (decimal port)))))))

(defun reject-strangers ()
  "Disconnects a client without the secret. Swank itself would enter the debugger in the thread that accepts clients."
  (watch-function (find-symbol "ACCEPT-CONNECTIONS" "SWANK")
                  (lambda (original arguments) (catch 'rejected (apply original arguments))))
  (watch-function (find-symbol "AUTHENTICATE-CLIENT" "SWANK")
                  (lambda (original arguments)
                    (handler-case (apply original arguments)
                      (error ()
                        (close (first arguments) :abort t)
                        (throw 'rejected nil))))))
