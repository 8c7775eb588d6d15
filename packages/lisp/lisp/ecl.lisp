;;;; Embeddable Common Lisp.

(in-package :hawser-worker/ecl)

;;; The process and its descriptors.

(defun foreign-call (name &rest arguments)
  (si:call-cfun (si:find-foreign-symbol name :default :pointer-void 0)
                :int (loop for nil in arguments collect :int) arguments))

(defimplementation open-wire (descriptor)
  (let* ((duplicate-closed-on-exec #+linux 1030 #-linux 67)
         (lowest (+ 200 (random 500 (make-random-state t))))
         (hidden (foreign-call "fcntl" descriptor duplicate-closed-on-exec lowest)))
    (unless (minusp hidden) (foreign-call "close" descriptor))
    (flet ((stream (direction)
             (ext:make-stream-from-fd (if (minusp hidden) descriptor hidden) direction
                                      :buffering :full :element-type '(unsigned-byte 8))))
      (make-two-way-stream (stream :input) (stream :output)))))

(defimplementation read-message (wire)
  (let ((input (two-way-stream-input-stream wire)) (length 0))
    (loop for octet = (read-byte input nil)
          do (cond ((null octet) (return-from read-message nil))
                   ((= octet 10) (return))
                   (t (setf length (+ (* 10 length) (- octet 48))))))
    (let ((octets (make-array length :element-type '(unsigned-byte 8))))
      (and (= (read-sequence octets input) length) octets))))

(defimplementation write-wire (wire octets end)
  (let ((output (two-way-stream-output-stream wire)))
    (write-sequence octets output :end end)
    (finish-output output)
    t))

(defimplementation write-past-lisp (text)
  (write-string text ext:+process-error-output+)
  (finish-output ext:+process-error-output+))

(defimplementation process-id () (ext:getpid))

(defimplementation prepare-process ()
  ;; When the server dies, descriptor 4 ends; a stopped process must be woken to read that.
  #+linux
  (let ((set-parent-death-signal 1) (sigcont 18))
    (foreign-call "prctl" set-parent-death-signal sigcont))
  ;; Linux hangs up on a stopped process whose parent dies, before it could end what it has started.
  (let ((sighup 1) (sigint 2) (ignored 1))
    (foreign-call "signal" sighup ignored)
    (foreign-call "signal" sigint ignored)))

(defimplementation lead-process-group () (foreign-call "setpgid" 0 0))

(defimplementation end-process (process) (foreign-call "kill" process 9))

(defimplementation end-process-group ()
  (foreign-call "kill" 0 9)
  (foreign-call "_exit" 1))

(defimplementation end-forked-process () (foreign-call "_exit" 0))

(defimplementation end-soon ()
  (let ((sigalrm 14) (default 0))
    (foreign-call "signal" sigalrm default))
  (foreign-call "alarm" 2))

;;; Threads.

(defimplementation make-lock () (mp:make-lock :name "hawser" :recursive t))

(defimplementation call-with-lock (lock function)
  (mp:without-interrupts (mp:with-lock (lock) (funcall function))))

(defimplementation start-thread (name function on-failure)
  (mp:process-run-function
   name
   (lambda ()
     ;; Evaluated code may kill the thread: another replaces it.
     (unwind-protect (handler-bind ((serious-condition on-failure)) (funcall function))
       (start-thread name function on-failure)))))

(defimplementation current-thread () mp:*current-process*)
(defimplementation interrupt-thread (thread function) (mp:interrupt-process thread function))
(defimplementation end-this-thread () (mp:exit-process))
(defimplementation pause () (sleep 0.1))

;;; Text and files.

(defun read-all (stream length)
  (let* ((text (make-string length))
         (end (read-sequence text stream)))
    (subseq text 0 end)))

(defimplementation decode-text (octets)
  (read-all (ext:make-sequence-input-stream octets :external-format :utf-8) (length octets)))

(defimplementation file-text (path)
  (with-open-file (stream (native-path path) :external-format :utf-8)
    (read-all stream (file-length stream))))

(defimplementation native-path (path)
  (parse-namestring (with-output-to-string (out)
                      (loop for char across path
                            do (when (find char "\\*?[") (write-char #\\ out))
                               (write-char char out)))))

(defimplementation native-namestring (pathname) (namestring pathname))

;;; Evaluation.

(defimplementation call-with-debugger-hook (hook function)
  (let ((ext:*invoke-debugger-hook* hook)) (funcall function)))

(defimplementation set-debugger-hook (hook) (setf ext:*invoke-debugger-hook* hook))

(defimplementation call-afresh (function)
  ;; ECL's command line would handle every error of what it evaluates.
  (let ((si::*handler-clusters* nil) (si::*restart-clusters* nil))
    (funcall function)))

(defimplementation recover-from (condition)
  (when (typep condition 'ext:storage-exhausted) (ext:gc t)))

;;; Conditions.

(defimplementation no-room-to-describe-p (condition) (typep condition 'ext:stack-overflow))

(defimplementation report-condition (condition stream)
  ;; ECL has no report for arithmetic errors.
  (if (typep condition 'arithmetic-error)
      (format stream "~a, in ~s of ~s" (type-of condition)
              (ignore-errors (arithmetic-error-operation condition))
              (ignore-errors (arithmetic-error-operands condition)))
      (princ condition stream)))

(defun text-of (condition)
  (handler-case (princ-to-string condition) (serious-condition () "")))

(defimplementation missing-package-name (condition)
  ;; The reader and the compiler signal a plain error whose text ends with the name.
  (or (undesignated-package-name condition)
      (let ((text (text-of condition)))
        (loop for phrase in '("no package with the name " "no package with name ")
              for start = (search phrase text)
              when start
                return (string-trim "\"." (subseq text (+ start (length phrase))))))))

(defimplementation not-external-p (condition)
  (and (typep condition 'reader-error) (search "external" (text-of condition))))

(defimplementation restart-interactive-function (restart) (si::restart-interactive-function restart))

;;; The stack. ECL keeps no arguments.

(defimplementation map-frames (function)
  (loop for index = (si:ihs-top) then (si:ihs-prev index)
        while (plusp index)
        do (funcall function index)))

(defimplementation frame-name (frame)
  (let ((function (si:ihs-fun frame)))
    (typecase function
      (symbol function)
      (function (let ((name (function-name function))) (and (symbolp name) name))))))

(defimplementation frame-locals (frame)
  (declare (ignore frame))
  (refuse "ECL does not show the variables of a frame."))

(defimplementation evaluate-in-frame (frame form)
  (declare (ignore frame form))
  (refuse "ECL cannot evaluate in a frame."))

(defimplementation own-package-name-p (name)
  (or (member name '("SI" "SYSTEM" "EXT" "CLOS" "MP" "FFI" "GRAY" "C" "COMPILER") :test #'string=)
      (eql 0 (search "ECL-" name))))

;;; Definitions. ECL keeps only the files of compiled functions.

(defimplementation function-lambda-list (function) (ext:function-lambda-list function))
(defimplementation function-name (function) (ignore-errors (si:compiled-function-name function)))
(defimplementation special-variable-p (symbol) (si:specialp symbol))
(defimplementation derived-type-p (symbol) (and (si:get-sysprop symbol 'si::deftype-definition) t))
(defimplementation places-by-text-p () t)

(defun function-location (function)
  (multiple-value-bind (file position) (ext:compiled-function-file function)
    (when (and file (probe-file file))
      (make-location :file (native-namestring (probe-file file)) :position (and (integerp position) position)))))

(defimplementation definition-location (name kind)
  (cond ((string= kind "function") (function-location (fdefinition name)))
        ((string= kind "macro") (function-location (macro-function name)))))

(defimplementation method-location (method) (function-location (method-function method)))

(defimplementation references (symbol relation)
  (declare (ignore symbol relation))
  (refuse "ECL keeps no cross references. Start the server with --engine sbcl for them."))

(defimplementation loaded-form-position (file)
  (destructuring-bind (loaded . position) ext:*source-location*
    (and (equal file (native-namestring (probe-file loaded))) position)))

;;; The compiler and other tools.

(defimplementation call-with-compiler-conditions (function note)
  (handler-bind ((condition (lambda (condition)
                              (let ((kind (diagnostic-kind condition)))
                                (when kind
                                  (funcall note kind condition (diagnostic-location condition))
                                  (let ((restart (find-restart 'muffle-warning condition)))
                                    (when restart (invoke-restart restart))))))))
    (funcall function)))

(defimplementation compiler-message (text)
  ;; Without its first lines: kind, file, position and form. A mark precedes the message itself.
  (loop for start = 0 then (1+ end)
        for end = (position #\Newline text :start start)
        for mark = (position #\Space text :start start :test-not #'char=)
        for message = (and mark (find (char text mark) "!*") (position #\Space text :start mark))
        when message return (subseq text (1+ message))
        while end
        finally (return text)))

(defun diagnostic-kind (condition)
  (flet ((is (name) (member name (class-precedence-list (class-of condition))
                            :key (lambda (class) (symbol-name (class-name class))) :test #'string=)))
    (cond ((or (is "COMPILE-CONDITION") (is "COMPILER-NOTE")) nil)
          ((is "COMPILER-ERROR") "error")
          ((typep condition 'style-warning) "style-warning")
          ((typep condition 'warning) "warning"))))

(defun diagnostic-location (condition)
  "The position that the compiler's conditions have, in a file that only ASDF knows."
  (let* ((reader (and (find-package "C") (find-symbol "COMPILER-MESSAGE-FILE-POSITION" "C")))
         (position (and reader (fboundp reader) (ignore-errors (funcall reader condition)))))
    (and position (make-location :position position))))

(defimplementation compile-form (form note)
  ;; Compiles to bytecodes, which finds invalid forms.
  (let ((remarked nil))
    (flet ((remark (kind condition)
             (setf remarked t)
             (funcall note kind condition '())))
      (handler-case
          (handler-bind ((warning (lambda (condition)
                                    (remark "warning" condition)
                                    (muffle-warning condition))))
            (coerce `(lambda () ,form) 'function))
        (error (condition) (remark "error" condition)))
      (unless remarked
        (remark "note" "The form is valid. ECL checks nothing else here; start the server with --engine sbcl for warnings.")))))

(defimplementation function-of-lambda (expression)
  ;; ECL can't disassemble a compiled function, but bytecodes.
  (coerce expression 'function))

(defimplementation watch-function (symbol tracer)
  (let ((original (fdefinition symbol)))
    (setf (fdefinition symbol) (lambda (&rest arguments) (funcall tracer original arguments)))
    (lambda () (setf (fdefinition symbol) original))))

(defimplementation expand-everything (form)
  (declare (ignore form))
  (refuse "ECL can't expand subforms. Use depth full."))

(defimplementation profile-call (function)
  (declare (ignore function))
  (refuse "ECL has no statistical profiler. Start the server with --engine sbcl for one."))

(complete-backend)
