;;;; What the worker needs of ECL: descriptors, threads, interrupts, the end of the process.

(in-package :hawser-worker)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (import '(gray:fundamental-character-output-stream gray:stream-write-char gray:stream-write-string
            gray:stream-line-column gray:stream-start-line-p)))

(defmacro define-close-method (class)
  "Closing a stream of CLASS does nothing."
  `(defmethod gray::close ((stream ,class) &key abort)
     (declare (ignore abort))
     t))

(defun engine-name ()
  (concatenate 'string "ECL " (lisp-implementation-version)))

(defvar *exercise-pays* nil)
(defun prepare-image () nil)

;;; Locks. No interrupt comes between lock and unlock.

(defun make-lock () (mp:make-lock :name "hawser" :recursive t))

(defmacro with-lock ((lock) &body body)
  `(mp:without-interrupts (mp:with-lock (,lock) ,@body)))

(defun start-thread (name function)
  "Evaluated code may kill the thread: another replaces it. If it fails, the worker could not answer, so it ends."
  (mp:process-run-function
   name
   (lambda ()
     (unwind-protect
          (handler-bind ((serious-condition #'end-after-failure))
            (funcall function))
       (start-thread name function)))))

(defun write-past-lisp (text)
  (write-string text ext:+process-error-output+)
  (finish-output ext:+process-error-output+))

(defun pause-ticker () (sleep 0.1))

(defvar *main-thread* mp:*current-process*)
(defun in-worker-thread-p () (eq mp:*current-process* *main-thread*))
(defun interrupt-worker (function) (mp:interrupt-process *main-thread* function))
(defun end-this-thread () (mp:exit-process))

;;; The private descriptors. Those we read from are streams.

(defvar *commands-wire*)
(defvar *control-wire*)
(defvar *output*)
(defvar *process*)

(defun system-call (name &rest arguments)
  (si:call-cfun (si:find-foreign-symbol name :default :pointer-void 0)
                :int (loop for nil in arguments collect :int) arguments))

(defun open-wires ()
  (setf *process* (ext:getpid))
  (let ((commands (hide-descriptor 3))
        (control (hide-descriptor 4))
        (octet '(unsigned-byte 8)))
    (setf *commands-wire* (ext:make-stream-from-fd commands :input :buffering :full :element-type octet)
          *output* (ext:make-stream-from-fd commands :output :buffering :full :element-type octet)
          *control-wire* (ext:make-stream-from-fd control :input :buffering :full :element-type octet))))

(defun hide-descriptor (public)
  "Moves a descriptor out of the way of evaluated code that closes low descriptors or starts programs."
  (let* ((duplicate-closed-on-exec #+linux 1030 #-linux 67)
         (lowest (+ 200 (random 500 (make-random-state t))))
         (private (system-call "fcntl" public duplicate-closed-on-exec lowest)))
    (cond ((minusp private) public)
          (t (system-call "close" public) private))))

(defun read-message (wire)
  "The octets of the next command; NIL when the server has closed the descriptor."
  (let ((length 0))
    (loop for octet = (read-byte wire nil)
          do (cond ((null octet) (return-from read-message nil))
                   ((= octet 10) (return))
                   (t (setf length (+ (* 10 length) (- octet 48))))))
    (let ((octets (make-array length :element-type '(unsigned-byte 8))))
      (and (= (read-sequence octets wire) length) octets))))

(defun write-wire (octets end)
  (write-sequence octets *output* :end end)
  (finish-output *output*))

(defun leaks-pending-p () t)

(defun decode-text (octets)
  (let* ((text (make-string (length octets)))
         (stream (ext:make-sequence-input-stream octets :external-format :utf-8))
         (end (read-sequence text stream)))
    (subseq text 0 end)))

(defun file-text (path)
  (with-open-file (stream (native-path path) :external-format :utf-8)
    (let* ((text (make-string (file-length stream)))
           (end (read-sequence text stream)))
      (subseq text 0 end))))

(defun native-path (path)
  (parse-namestring (with-output-to-string (out)
                      (loop for char across path
                            do (when (find char "\\*?[") (write-char #\\ out))
                               (write-char char out)))))

;;; The process.

(defun prepare-process ()
  ;; When the server dies, descriptor 4 ends; a stopped process must be woken to read that.
  #+linux
  (let ((set-parent-death-signal 1) (sigcont 18))
    (system-call "prctl" set-parent-death-signal sigcont))
  ;; Linux hangs up on a stopped process whose parent dies, before it could end what it has started.
  (let ((sighup 1) (sigint 2) (ignored 1))
    (system-call "signal" sighup ignored)
    (system-call "signal" sigint ignored)))

(defun lead-process-group () (system-call "setpgid" 0 0))

(defun end-process (process) (system-call "kill" process 9))

(defun end-soon ()
  "Ends the process within two seconds, whatever happens next."
  (let ((sigalrm 14) (default 0))
    (system-call "signal" sigalrm default))
  (system-call "alarm" 2))

(defun end-process-group ()
  (system-call "kill" 0 9)
  (system-call "_exit" 1))

(defun forked-p () (/= *process* (ext:getpid)))
(defun end-forked-process () (system-call "_exit" 0))

(defun real-microseconds () (* 1000 (get-internal-real-time)))
(defun run-milliseconds () (floor (get-internal-run-time) (/ internal-time-units-per-second 1000)))
(defun consed-bytes () nil)

;;; Evaluation.

(defmacro with-debugger-hook ((hook) &body body)
  `(let ((ext:*invoke-debugger-hook* ,hook)) ,@body))

(defun set-debugger-hook (hook) (setf ext:*invoke-debugger-hook* hook))

(defun call-afresh (function)
  "ECL's command line would handle every error of what it evaluates."
  (let ((si::*handler-clusters* nil) (si::*restart-clusters* nil))
    (funcall function)))

(defun call-debuggably (function) (funcall function))

(defun restart-interactive-function (restart) (si::restart-interactive-function restart))

(defun call-refusing-exit (function)
  "EXT:QUIT ends the other threads first, so it can't be refused."
  (funcall function))

(defun recover-from (condition)
  (when (typep condition 'ext:storage-exhausted) (ext:gc t)))

(defun no-room-to-describe-p (condition) (typep condition 'ext:stack-overflow))

(defun report-condition (condition stream)
  ;; ECL has no report for arithmetic errors.
  (if (typep condition 'arithmetic-error)
      (format stream "~a, in ~s of ~s" (type-of condition)
              (ignore-errors (arithmetic-error-operation condition))
              (ignore-errors (arithmetic-error-operands condition)))
      (princ condition stream)))

(defun note-compiler-verdict (condition)
  "Does nothing: ECL's compiler counts a warning before it signals it."
  (declare (ignore condition))
  nil)

(defun condition-classes (condition)
  (clos:class-precedence-list (class-of condition)))

(deftype compiler-failure () nil)

(defun compile-error-p (condition)
  (declare (ignore condition))
  nil)

(defun function-name-text (function)
  (let ((name (ignore-errors (si:compiled-function-name function))))
    (and name (outline name 100))))
