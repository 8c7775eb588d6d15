;;;; The debugger: an error stays open, and other operations run on top of its stack, until a restart unwinds it.

(in-package :hawser-worker)

(defvar *debugged* '() "Jobs whose failure is open, innermost first.")

(defun debug-failure (job)
  (setf *running* nil)
  (let ((*debugged* (cons job *debugged*)))
    (send-outcome job nil)
    (with-debugger-hook (#'enter-debugger)
      (serve-commands))))

(defun perform-debugging (command)
  (unless *debugged* (refuse "No error is open. Call evaluate-lisp with on-error \"break\" first."))
  (let* ((arguments (command-arguments command))
         (action (getf arguments :do)))
    (ecase action
      (:restart (let* ((index (getf arguments :index)) (restart (chosen-restart index)))
                  (continue-with command restart (restart-values index restart (getf arguments :arguments)))))
      (:abort (continue-with command (job-abort-restart (first *debugged*)) '()))
      (:locals (find-locals (chosen-frame (getf arguments :frame))))
      (:evaluate (evaluate-in-chosen-frame (chosen-frame (getf arguments :frame)) (getf arguments :form))))))

(defun chosen-restart (index)
  (let ((restarts (failure-restarts (job-failure (first *debugged*)))))
    (or (and (< -1 index (length restarts)) (nth index restarts))
        (refuse "There is no restart " (decimal index) ". Choose one of these:"
                (join-texts (loop for restart in restarts
                                  for number from 0
                                  collect (concatenate 'string (string #\Newline) (decimal number) ": "
                                                       (restart-label restart) (restart-text restart)))
                            "")))))

(defun restart-label (restart)
  (let ((name (restart-name restart)))
    (if name (concatenate 'string "[" (symbol-name name) "] ") "")))

;;; The first two are standard. The others are SBCL's, whose code crashes without its argument.
(defvar *restarts-with-one-argument* '("USE-VALUE" "STORE-VALUE" "CALL-FORM" "REPLACE-FUNCTION")
  "Names of restarts that need exactly one argument.")

(defun restart-values (index restart arguments)
  "The values to call RESTART with. Refuses wrong arguments now: RESTART would fail after it has left the error."
  (let ((number (length arguments)))
    (cond ((zerop number) (restart-own-values index restart))
          ((and (/= number 1)
                (member (symbol-name (restart-name restart)) *restarts-with-one-argument* :test #'string=))
           (refuse "Restart " (decimal index) " " (restart-label restart) "takes one argument, not " (decimal number) "."))
          (t (loop for argument in arguments
                   collect (eval (read-form-to-evaluate argument)))))))

(defun restart-own-values (index restart)
  "What the interactive function of RESTART returns. It finds no input, so one that asks the user fails."
  (let ((interactive (restart-interactive-function restart)))
    (if interactive
        (handler-case (funcall interactive)
          (error () (refuse "Restart " (decimal index) " asks for values. Give a form for each in \"arguments\".")))
        '())))

(defun chosen-frame (index)
  (let ((frames (failure-frames (job-failure (first *debugged*)))))
    (or (and (< -1 index (length frames)) (nth index frames))
        (refuse "There is no frame " (decimal index) ". "
                (if frames
                    (concatenate 'string "Choose 0 to " (decimal (1- (length frames))) " of the backtrace.")
                    "The error has none.")))))

(defun continue-with (command restart values)
  "The debugged job goes on, or ends, under the number of the operation that chose the restart."
  (throw *job* (list :continue (first *debugged*) command restart values)))

(defun resume-job (job command restart values)
  "Returns only when RESTART does not take VALUES: then with a message, and the error of JOB is still open."
  (let ((failure (job-failure job)))
    (begin-job job (command-id command))
    (setf (job-value-limit job) (command-value-limit command)
          (job-leaving job) (eq restart (job-abort-restart job))
          *running* job)
    ;; The restart may be gone; the catch tag exists as long as the job.
    (when (job-leaving job) (throw job '(:aborted)))
    (let ((problem (catch 'not-invoked
                     (handler-bind ((program-error (lambda (condition) (throw 'not-invoked condition))))
                       (apply #'invoke-restart restart values)))))
      (setf *running* nil (job-failure job) failure)
      (concatenate 'string "Restart " (decimal (getf (command-arguments command) :index)) " " (restart-label restart)
                   "was not invoked: " (condition-text problem 300)
                   ". Give a form for each value that it takes in \"arguments\"."))))

(defun find-locals (frame)
  (report-findings
   (loop for (name . value) in (frame-locals (frame-native frame))
         collect (finding "local" (symbol-text name) (value-text value 500)))))

(defun evaluate-in-chosen-frame (frame text)
  (setf (job-values *job*)
        (multiple-value-list (evaluate-in-frame (frame-native frame) (read-form-to-evaluate text)))))

(defun read-form-to-evaluate (text)
  (prog1 (read-one-form *job* text)
    (setf (job-phase *job*) :evaluate)))
