;;;; Commands in, messages out. Each command is a decimal count of octets, a line end, and that many octets of text.
;;;; Descriptor 3 carries operations, read by the main thread when it is idle: an id, a space, the s-expression
;;;; (kind output-limit value-limit . arguments), a line end, and the code to evaluate, if any. Descriptor 4 carries
;;;; (:INTERRUPT id), read by another thread at once. Messages leave on descriptor 3, as lines of JSON.

(in-package :hawser-worker)

(defvar *commands-wire* nil "Carries operations and messages.")
(defvar *control-wire* nil "Carries interrupts.")

;;; Reading.

(defun read-plainly (text start)
  "Reads an s-expression of the server. The second value is the position after it."
  (let ((*readtable* *standard-readtable*) (*package* *keywords*) (*read-eval* nil) (*read-base* 10) (*read-suppress* nil)
        (*read-default-float-format* 'single-float))
    (read-from-string text t nil :start start :preserve-whitespace t)))

(defun listen-to-control ()
  "Ends everything when the server closes the descriptor."
  (loop for octets = (read-message *control-wire*)
        while octets
        do (destructuring-bind (verb id) (read-plainly (decode-text octets) 0)
             (ecase verb
               (:interrupt (send-interrupt id)))))
  (end-everything))

(defvar *interrupt-waits* nil "True while an interrupt waits for code that does not allow it yet.")

(defun send-interrupt (id)
  "The server repeats its interrupts. At most one waits: when several arrive at once, SBCL ends the process."
  (unless *interrupt-waits*
    (setf *interrupt-waits* t)
    (interrupt-thread *worker-thread*
                      (lambda ()
                        (setf *interrupt-waits* nil)
                        (interrupt-job id)))))

(defun next-command ()
  (let ((octets (read-message *commands-wire*)))
    (unless octets (end-everything))
    (read-command (decode-text octets))))

(defun read-command (text)
  (multiple-value-bind (id space) (parse-integer text :junk-allowed t)
    (multiple-value-bind (expression end) (read-plainly text (1+ space))
      (destructuring-bind (kind output-limit value-limit &rest arguments) expression
        (make-command :id id :kind kind :output-limit output-limit :value-limit value-limit :arguments arguments
                      :code (subseq text (1+ end)))))))

;;; Writing.

(defvar *send-lock* (make-lock) "Held while a message is written.")

(defun send (message)
  (with-lock (*send-lock*) (write-message message)))

(defvar *message* (make-buffer) "The message that is written.")

(defun write-message (message)
  "The caller holds the lock."
  (json-line message *message*)
  ;; Evaluated code has forked, and this is the copy.
  (unless (eql *process* (process-id)) (end-forked-process))
  (unless (write-wire *commands-wire* (buffer-octets *message*) (buffer-end *message*)) (end-everything))
  ;; Don't keep the memory of a long message.
  (when (> (length (buffer-octets *message*)) 65536) (setf *message* (make-buffer))))

(defun tick ()
  (loop
    (pause)
    (when (eq *attached* :over) (return))
    (let ((job *running*))
      (when job (send-output-of job)))))

(defun send-output-of (job)
  "Sends what JOB has written so far. The lock is held meanwhile: the outcome must be the last message."
  (with-lock (*send-lock*)
    (when (eq job *running*)
      (loop for (name . stream) in (list (cons "stdout" *stdout*) (cons "stderr" *stderr*))
            for text = (take-output stream)
            when text
              do (write-message (list :object "output" (job-id job) "stream" name "text" text))))))

(defun send-outcome (job end)
  "Sends the outcome of JOB. END is what CALL-IN-SESSION returned, or NIL when the debugger stays open."
  (with-lock (*send-lock*)
    (multiple-value-bind (stdout dropped-stdout) (take-rest-of-output *stdout*)
      (multiple-value-bind (stderr dropped-stderr) (take-rest-of-output *stderr*)
        (write-message (list* :object
                              "outcome" (job-id job)
                              "stdout" (or stdout :absent)
                              "stderr" (or stderr :absent)
                              "droppedStdout" (if (zerop dropped-stdout) :absent dropped-stdout)
                              "droppedStderr" (if (zerop dropped-stderr) :absent dropped-stderr)
                              (outcome-json job end)))))))

(defun outcome-json (job end)
  "Leaves out what is empty or zero."
  (let ((failure (job-failure job)))
    (list "ok" (if (or end failure (tests-failed-p job)) :false :true)
          "package" (package-name *package*)
          "values" (json-strings (if (or end failure) '() (job-values job)))
          "warnings" (if (job-warnings job) (json-strings (reverse (job-warnings job))) :absent)
          "warningCount" (if (> (job-warning-count job) +max-warnings+) (job-warning-count job) :absent)
          "calls" (if (job-calls job) (cons :array (reverse (job-calls job))) :absent)
          "callCount" (if (> (job-call-count job) +max-calls+) (job-call-count job) :absent)
          "tests" (if (job-tests job) (tests-json (job-tests job)) :absent)
          "findings" (case (job-findings job)
                       ((nil) :absent)
                       (:none '(:array))
                       (t (cons :array (job-findings job))))
          "total" (or (job-total job) :absent)
          "error" (if failure (failure-json failure) :absent)
          "debugging" (if *debugged* :true :absent)
          "interrupted" (if (eq (first end) :interrupted) :true :absent)
          "leaks" (if (leaks-pending-p) :true :absent)
          "timing" (timing-json job))))

(defun timing-json (job)
  (let ((consed (and (consed-bytes) (- (consed-bytes) (job-started-consed job))))
        (real (- (real-microseconds) (job-started-real job))))
    (list :object
          "realUs" real
          "runMs" (- (run-milliseconds) (job-started-run job))
          "bytesConsed" (if consed (max 0 consed) :absent))))

;;; The main thread.

(defun serve-commands ()
  (loop (perform (next-command))))

(defun perform (command)
  (let* ((arguments (command-arguments command))
         (job (make-job :value-limit (command-value-limit command)
                        :on-error (if *debugged* :abort (getf arguments :on-error :abort)))))
    (limit-output (command-output-limit command))
    (begin-job job (command-id command))
    (let ((end (call-in-session job (getf arguments :stdin "") (lambda () (perform-in-session job command)))))
      (if (eq (first end) :continue)
          (let ((problem (apply #'resume-job (rest end))))
            (setf (job-failure job) (let ((*job* job)) (plain-failure "ERROR" problem)))
            (conclude job nil))
          (conclude job end)))))

(defun perform-in-session (job command)
  (call-in-package (getf (command-arguments command) :package)
                   (lambda ()
                     (perform-operation job (command-kind command) command)
                     (setf (job-values job) (print-values job)))))

(defun conclude (job end)
  (let ((*job* job))
    (case (first end)
      (:failed
       (recover-from (second end))
       (unless (job-failure job)
         (setf (job-failure job) (describe-failure-afterwards (second end) job))))
      (:aborted
       (if (job-leaving job)
           (setf (job-values job) '() end nil)
           (setf (job-failure job) (plain-failure "ABORT" (if *attached*
                                                          "The code, or the user in the debugger, invoked the restart ABORT."
                                                          "The code invoked the restart ABORT.")))))
      (:exit (setf (job-failure job)
                   (plain-failure "EXIT" (concatenate 'string "The code asked to exit with code " (decimal (second end))
                                                      ". The session goes on: call reset-session for a fresh Lisp.")))))
    (mend-session)
    (send-outcome job end)))

(defun run-milliseconds () (floor (get-internal-run-time) (/ internal-time-units-per-second 1000)))

(defun engine-name () (concatenate 'string (lisp-implementation-type) " " (lisp-implementation-version)))

(defun start-threads ()
  (start-thread "hawser control" #'listen-to-control #'end-after-failure)
  (start-thread "hawser ticker" #'tick #'end-after-failure))

(defun start (&optional (group :own))
  "Performs operations from descriptor 3 until it is closed, in its :OWN process group or in the one :GIVEN."
  (call-afresh (lambda () (serve-process group))))

(defun serve-process (group)
  (when (eq group :own) (lead-process-group))
  (prepare-process)
  (setf *process* (process-id)
        *worker-thread* (current-thread)
        *commands-wire* (open-wire 3)
        *control-wire* (open-wire 4))
  (setf *standard-output* *stdout*
        *error-output* *stderr*
        *trace-output* *stdout*)
  (set-debugger-hook #'enter-debugger)
  (send (list :object "hello" (engine-name)))
  (start-threads)
  (loop
    (catch 'idle
      (call-refusing-exit #'serve-commands))))
