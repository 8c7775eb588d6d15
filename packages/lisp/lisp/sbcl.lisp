;;;; Steel Bank Common Lisp.

(in-package :hawser-worker/sbcl)

;;; Internal symbols of SBCL are looked up by name: a version without one loses only what needs it.

(defmacro internal (package name)
  "The symbol NAME of PACKAGE, or NIL."
  ;; In a list: SBCL can't compile some uses of a symbol that is known only at load time.
  `(first (load-time-value (list (and (find-package ,package) (find-symbol ,name ,package))))))

(defmacro internal-call ((package name) &rest arguments)
  "Calls an internal function. NIL if there is none."
  (let ((function (gensym "INTERNAL")))
    `(let ((,function (internal ,package ,name)))
       (and ,function (fboundp ,function) (funcall ,function ,@arguments)))))

(defun internal-value (symbol) (and symbol (boundp symbol) (symbol-value symbol)))

(defun of-internal-type-p (object type) (and type (find-class type nil) (typep object type)))

(defun encapsulated (condition)
  "The condition that CONDITION wraps, or NIL."
  (and (of-internal-type-p condition (internal "SB-INT" "ENCAPSULATED-CONDITION"))
       (internal-call ("SB-INT" "ENCAPSULATED-CONDITION") condition)))

;;; The process and its descriptors. Foreign functions instead of SB-UNIX, which is internal.

(defmacro foreign-call (type name &rest arguments)
  `(sb-alien:alien-funcall
    (sb-alien:extern-alien ,name (function ,type ,@(loop for nil in arguments collect 'sb-alien:long)))
    ,@arguments))

(defun interrupted-call-p () (= (sb-alien:get-errno) 4))

(defstruct wire
  "A descriptor and what was read from it and not taken yet."
  descriptor
  (chunk (make-array 65536 :element-type '(unsigned-byte 8)) :type octets)
  (start 0 :type fixnum)
  (end 0 :type fixnum))

(defimplementation open-wire (descriptor)
  (let* ((duplicate-closed-on-exec #+linux 1030 #-linux 67)
         (lowest (+ 200 (random 500 (make-random-state t))))
         (hidden (foreign-call sb-alien:int "fcntl" descriptor duplicate-closed-on-exec lowest)))
    (cond ((minusp hidden) (make-wire :descriptor descriptor))
          (t (foreign-call sb-alien:int "close" descriptor)
             (make-wire :descriptor hidden)))))

(defimplementation socket-wire (socket)
  (make-wire :descriptor (external-call "SB-BSD-SOCKETS" "SOCKET-FILE-DESCRIPTOR" socket)))

(defun fill-chunk (wire)
  "Waits for octets; returns whether there were any."
  (let ((chunk (wire-chunk wire)))
    (sb-sys:with-pinned-objects (chunk)
      (loop
        (let ((count (foreign-call sb-alien:long "read" (wire-descriptor wire)
                                   (sb-sys:sap-int (sb-sys:vector-sap chunk)) (length chunk))))
          (unless (and (minusp count) (interrupted-call-p))
            (setf (wire-start wire) 0 (wire-end wire) (max 0 count))
            (return (plusp count))))))))

(defimplementation read-message (wire)
  (sb-sys:without-interrupts
    (flet ((ready-p () (or (< (wire-start wire) (wire-end wire)) (fill-chunk wire))))
      (let ((length 0))
        (declare (fixnum length))
        (loop
          (unless (ready-p) (return-from read-message nil))
          (let ((octet (aref (wire-chunk wire) (wire-start wire))))
            (incf (wire-start wire))
            (when (= octet 10) (return))
            (setf length (+ (* 10 length) (- octet 48)))))
        (let ((message (make-array length :element-type '(unsigned-byte 8))) (filled 0))
          (loop while (< filled length)
                do (unless (ready-p) (return-from read-message nil))
                   (let ((more (min (- (wire-end wire) (wire-start wire)) (- length filled))))
                     (replace message (wire-chunk wire)
                              :start1 filled :start2 (wire-start wire) :end2 (+ (wire-start wire) more))
                     (incf filled more)
                     (incf (wire-start wire) more)))
          message)))))

(defun write-descriptor (descriptor octets end)
  "Returns whether all was written."
  (sb-sys:with-pinned-objects (octets)
    (loop with start = 0
          while (< start end)
          do (let ((count (foreign-call sb-alien:long "write" descriptor
                                        (+ start (sb-sys:sap-int (sb-sys:vector-sap octets))) (- end start))))
               (cond ((plusp count) (incf start count))
                     ((not (interrupted-call-p)) (return nil))))
          finally (return t))))

(defimplementation write-wire (wire octets end)
  (write-descriptor (wire-descriptor wire) octets end))

(defimplementation write-past-lisp (text)
  (let ((octets (sb-ext:string-to-octets text :external-format :utf-8)))
    (write-descriptor 2 octets (length octets))))

#+linux
(defimplementation leaks-pending-p ()
  (flet ((unread (descriptor)
           (sb-alien:with-alien ((count sb-alien:int -1))
             (let ((octets-not-taken #x5411))
               (sb-alien:alien-funcall
                (sb-alien:extern-alien "ioctl" (function sb-alien:int sb-alien:int sb-alien:unsigned-long (* sb-alien:int)))
                descriptor octets-not-taken (sb-alien:addr count)))
             count)))
    (not (and (eql (unread 1) 0) (eql (unread 2) 0)))))

(defimplementation process-id () (foreign-call sb-alien:int "getpid"))

(defimplementation prepare-process ()
  (setf (sb-alien:extern-alien "lose_on_corruption_p" sb-alien:int) 0)
  ;; When the server dies, descriptor 4 ends; a stopped process must be woken to read that.
  #+linux
  (let ((set-parent-death-signal 1) (sigcont 18))
    (foreign-call sb-alien:int "prctl" set-parent-death-signal sigcont))
  ;; Linux hangs up on a stopped process whose parent dies, before it could end what it has started.
  (let ((sighup 1) (sigint 2) (sigterm 15))
    (sb-sys:enable-interrupt sighup :ignore)
    (sb-sys:enable-interrupt sigint :ignore)
    (sb-sys:enable-interrupt sigterm :default)))

(defimplementation lead-process-group () (foreign-call sb-alien:int "setpgid" 0 0))

(defimplementation end-process (process) (foreign-call sb-alien:int "kill" process 9))

(defimplementation end-process-group ()
  (foreign-call sb-alien:int "kill" 0 9)
  (foreign-call sb-alien:int "_exit" 1))

(defimplementation end-forked-process () (foreign-call sb-alien:int "_exit" 0))

(defimplementation end-soon ()
  (let ((sigalrm 14)) (sb-sys:enable-interrupt sigalrm :default))
  (foreign-call sb-alien:int "alarm" 2))

(defimplementation prepare-image ()
  (require :asdf)
  (require :sb-introspect))

(defimplementation real-microseconds ()
  ;; The clock behind GET-INTERNAL-REAL-TIME advances in steps of several milliseconds.
  (multiple-value-bind (seconds nanoseconds) (let ((monotonic 1)) (internal-call ("SB-UNIX" "CLOCK-GETTIME") monotonic))
    (if seconds
        (+ (* seconds 1000000) (floor nanoseconds 1000))
        (floor (* 1000000 (get-internal-real-time)) internal-time-units-per-second))))

(defimplementation consed-bytes () (sb-ext:get-bytes-consed))

;;; Threads.

(defimplementation make-lock () (sb-thread:make-mutex :name "hawser"))

(defimplementation call-with-lock (lock function)
  (declare (type function function))
  (sb-sys:without-interrupts
    (sb-thread:grab-mutex lock)
    (unwind-protect (funcall function)
      (sb-thread:release-mutex lock))))

(defimplementation start-thread (name function on-failure)
  (sb-thread:make-thread
   (lambda ()
     (sb-sys:without-interrupts
       (handler-bind ((serious-condition on-failure))
         (funcall function))))
   :name name))

(defimplementation current-thread () sb-thread:*current-thread*)
(defimplementation interrupt-thread (thread function) (sb-thread:interrupt-thread thread function))
(defimplementation end-this-thread () (sb-thread:abort-thread))
(defimplementation update-value (symbol change) (sb-ext:atomic-update (symbol-value symbol) change))
(defimplementation pause () (foreign-call sb-alien:int "usleep" 100000))

;;; Text and files.

(defimplementation decode-text (octets)
  (sb-ext:octets-to-string octets :external-format :utf-8))

(defimplementation file-text (path)
  (with-open-file (stream (native-path path) :external-format '(:utf-8 :replacement #\ufffd))
    (let* ((text (make-string (file-length stream)))
           (end (read-sequence text stream)))
      (subseq text 0 end))))

(defimplementation native-path (path) (sb-ext:parse-native-namestring path))
(defimplementation native-namestring (pathname) (sb-ext:native-namestring pathname))

;;; Evaluation.

(defimplementation call-with-debugger-hook (hook function)
  (let ((sb-ext:*invoke-debugger-hook* hook)) (funcall function)))

(defimplementation set-debugger-hook (hook) (setf sb-ext:*invoke-debugger-hook* hook))

(defimplementation call-debuggably (function)
  (let ((policy (internal "SB-C" "*POLICY*")) (catch-frames (internal "SB-C" "INSERT-DEBUG-CATCH")))
    (if (null policy)
        (funcall function)
        (progv (list policy) (list (symbol-value policy))
          (proclaim '(optimize (debug 3)))
          ;; Tail calls are merged all the same: otherwise loops written as recursion would exhaust the stack.
          (when catch-frames (proclaim `(optimize (,catch-frames 0))))
          (funcall function)))))

(defimplementation call-refusing-exit (function)
  (let ((result :exit))
    (catch (internal "SB-IMPL" "%END-OF-THE-WORLD")
      (setf result (funcall function)))
    (cond ((eq result :exit)
           (prog1 (list :exit (if (integerp sb-sys:*exit-in-progress*) sb-sys:*exit-in-progress* 0))
             (setf sb-sys:*exit-in-progress* nil)
             (let ((lock (internal-value (internal "SB-IMPL" "*EXIT-LOCK*"))))
               (when (and lock (sb-thread:holding-mutex-p lock)) (sb-thread:release-mutex lock)))))
          (t result))))

(defimplementation recover-from (condition)
  (when (of-internal-type-p condition (internal "SB-KERNEL" "HEAP-EXHAUSTED-ERROR")) (sb-ext:gc :full t)))

;;; Conditions.

(defimplementation report-condition (condition stream)
  ;; SBCL's reader adds the stream and the position, which are fields of the outcome; its compiler adds references.
  (let ((references (internal "SB-INT" "*PRINT-CONDITION-REFERENCES*")))
    (progv (and references (list references)) '(nil)
      (if (and (typep condition 'reader-error) (typep condition 'simple-condition))
          (apply #'format stream (simple-condition-format-control condition)
                 (simple-condition-format-arguments condition))
          (princ condition stream)))))

(defimplementation compiler-failure-p (condition)
  (of-internal-type-p condition (internal "SB-C" "COMPILER-ERROR")))

(defimplementation compile-error-p (condition)
  (of-internal-type-p condition (internal "SB-INT" "COMPILED-PROGRAM-ERROR")))

(defimplementation note-compiler-verdict (condition)
  ;; Otherwise COMPILE would not return that it has warned or failed.
  (let ((warned (internal "SB-C" "*WARNINGS-P*")) (failed (internal "SB-C" "*FAILURE-P*")))
    (when (and warned (boundp warned)) (set warned t))
    (when (and failed (boundp failed) (not (typep condition 'style-warning))) (set failed t))))

(defimplementation not-external-p (condition)
  (and (of-internal-type-p condition (internal "SB-INT" "SIMPLE-READER-PACKAGE-ERROR"))
       (null (missing-package-name condition))))

(defimplementation root-condition (condition)
  (let ((inside (encapsulated condition)))
    (if inside (root-condition inside) condition)))

(defimplementation restart-interactive-function (restart)
  (internal-call ("SB-KERNEL" "RESTART-INTERACTIVE-FUNCTION") restart))

;;; The stack.

(defimplementation map-frames (function)
  (let ((map-backtrace (internal "SB-DEBUG" "MAP-BACKTRACE")))
    (if map-backtrace
        ;; It begins with the frame that signalled.
        (funcall map-backtrace function)
        (loop for frame = (sb-di:top-frame) then (sb-di:frame-down frame)
              while frame
              do (funcall function frame)))))

(defimplementation frame-name (frame) (sb-di:debug-fun-name (sb-di:frame-debug-fun frame)))

(defimplementation frame-call (frame)
  (handler-case (multiple-value-bind (name arguments) (internal-call ("SB-DEBUG" "FRAME-CALL") frame)
                  (values name (and (listp arguments) arguments)))
    (serious-condition () nil)))

(defimplementation argument-available-p (argument)
  (not (of-internal-type-p argument (internal "SB-DEBUG" "UNPRINTABLE-OBJECT"))))

(defimplementation interrupted-anywhere-p (condition)
  (typep condition '(or storage-condition sb-sys:memory-fault-error)))

(defimplementation method-frame-name (name)
  (and (consp name)
       (first name)
       (member (first name) (list (internal "SB-PCL" "FAST-METHOD") (internal "SB-PCL" "SLOW-METHOD") 'method :method))
       (rest name)))

(defimplementation entered-function-name ()
  (map-frames (lambda (frame)
                (let ((function (sb-di:frame-debug-fun frame)))
                  (return-from entered-function-name
                    (and (member (sb-di:debug-fun-kind function) '(:external :more)) (sb-di:debug-fun-name function)))))))

(defimplementation frame-locals (frame)
  (let ((location (sb-di:frame-code-location frame)) (locals '()))
    (handler-case
        (sb-di:do-debug-fun-vars (variable (sb-di:frame-debug-fun frame))
          (when (eq (sb-di:debug-var-validity variable location) :valid)
            (push (cons (sb-di:debug-var-symbol variable) (sb-di:debug-var-value variable frame)) locals)))
      (sb-di:debug-condition () nil))
    (nreverse locals)))

(defimplementation evaluate-in-frame (frame form) (sb-di:eval-in-frame frame form))

(defimplementation own-package-name-p (name) (eql 0 (search "SB-" name)))

;;; Definitions.

(defimplementation function-lambda-list (function)
  (if (typep function 'generic-function)
      (values (generic-function-lambda-list function) t)
      (values (internal-call ("SB-KERNEL" "%FUN-LAMBDA-LIST") function) (and (internal "SB-KERNEL" "%FUN-LAMBDA-LIST") t))))

(defimplementation function-name (function) (internal-call ("SB-KERNEL" "%FUN-NAME") function))

(defun kind-of (category symbol) (internal-call ("SB-INT" "INFO") category :kind symbol))

(defimplementation special-variable-p (symbol) (eq (kind-of :variable symbol) :special))
(defimplementation derived-type-p (symbol) (eq (kind-of :type symbol) :defined))

(defun introspect (name &rest arguments)
  "Calls a function of SB-INTROSPECT."
  (unless (find-package "SB-INTROSPECT") (require :sb-introspect))
  (apply #'external-call "SB-INTROSPECT" name arguments))

(defun existing-file (pathname)
  "The native path of a file that exists, or NIL."
  (let ((file (and pathname (probe-file pathname))))
    (and file (native-namestring file))))

(defun source-location (source)
  "The location in a definition source of SB-INTROSPECT, or NIL."
  (let ((file (existing-file (introspect "DEFINITION-SOURCE-PATHNAME" source)))
        (path (introspect "DEFINITION-SOURCE-FORM-PATH" source)))
    (and file (make-location :file file :form (first path) :path (rest path)))))

(defun code-file (location)
  "The namestring of the file that the code at a location of SB-DI comes from, or NIL."
  (sb-di:debug-source-namestring (sb-di:code-location-debug-source location)))

(defun code-location (location)
  "Where the code at a location of SB-DI comes from; NIL if it comes from no file."
  (let ((file (existing-file (code-file location))))
    (when file
      (make-location :file file
                     ;; ASDF evaluates parts of a system definition; they know the file and no place in it.
                     :form (unless (equal (pathname-type file) "asd")
                             (ignore-errors (sb-di:code-location-toplevel-form-offset location)))))))

(defun simple-function (function)
  "The function that has the code of FUNCTION, which may be a closure."
  (or (internal-call ("SB-KERNEL" "%FUN-FUN") function) function))

(defun function-location (function)
  (code-location (sb-di:debug-fun-start-location (sb-di:fun-debug-fun (simple-function function)))))

(defimplementation definition-location (name kind)
  (cond ((string= kind "function") (function-location (fdefinition name)))
        ((string= kind "macro") (function-location (macro-function name)))
        (t (some #'source-location
                 (introspect "FIND-DEFINITION-SOURCES-BY-NAME" name (intern (string-upcase kind) :keyword))))))

(defimplementation method-location (method) (source-location (introspect "FIND-DEFINITION-SOURCE" method)))

;;; References.

(defimplementation references (symbol relation)
  (flet ((who (name)
           (loop for (found . source) in (call-with-sound-sources (lambda () (introspect name symbol)))
                 collect (reference found (let ((source source)) (lambda () (source-location source))))))
         (functions-of (name)
           (loop for code in (and (fboundp symbol) (code-functions symbol))
                 append (loop for function in (introspect name code)
                              ;; A function that is called and not defined is NIL here.
                              when function
                                collect (reference (function-name function)
                                                   (let ((function function)) (lambda () (function-location function))))))))
    (ecase relation
      (:calls (functions-of "FIND-FUNCTION-CALLEES"))
      (:callers (append (who "WHO-CALLS") (functions-of "FIND-FUNCTION-CALLERS")))
      (:references (who "WHO-REFERENCES"))
      (:binders (who "WHO-BINDS"))
      (:setters (who "WHO-SETS"))
      (:macroexpanders (who "WHO-MACROEXPANDS")))))

(defun reference (name location)
  (list (or (method-frame-name name) name)
        (cond ((method-frame-name name) "method")
              ((and (symbolp name) (macro-function name)) "macro")
              (t "function"))
        location))

(defun code-functions (symbol)
  "The functions that have the code of SYMBOL's function: those of its methods, if it is generic."
  (let ((function (or (macro-function symbol) (fdefinition symbol))))
    (if (typep function 'generic-function)
        (loop for method in (generic-function-methods function)
              for code = (or (ignore-errors
                              (internal-call ("SB-PCL" "%METHOD-FUNCTION-FAST-FUNCTION") (method-function method)))
                             (method-function method))
              when (functionp code) collect (simple-function code))
        (list (simple-function function)))))

(defun call-with-sound-sources (function)
  "SB-INTROSPECT fails on every function of a file whose load has failed, and then all of its lists do."
  (introspect "FIND-DEFINITION-SOURCES-BY-NAME" 'car :function)
  (let ((make (find-symbol "MAKE-DEFINITION-SOURCE" "SB-INTROSPECT")))
    (let ((undo (watch-function (find-symbol "FIND-FUNCTION-DEFINITION-SOURCE" "SB-INTROSPECT")
                                (lambda (original arguments)
                                  (handler-case (apply original arguments)
                                    (error () (funcall make)))))))
      (unwind-protect (funcall function) (funcall undo)))))

;;; Files in work.

(defimplementation stack-location (accepted-p)
  (or (compiler-location (compiler-context))
      (let ((looked-at 0))
        (map-frames (lambda (frame)
                      (when (> (incf looked-at) 300) (return-from stack-location nil))
                      (let* ((location (sb-di:frame-code-location frame))
                             (file (ignore-errors (code-file location))))
                        (when (and file (funcall accepted-p file))
                          (return-from stack-location (code-location location))))))
        nil)))

(defimplementation loaded-form-position (file)
  ;; LOAD keeps it in its stream.
  (map-frames
   (lambda (frame)
     (when (and (frame-name frame) (eq (frame-name frame) (internal "SB-FASL" "LOAD-AS-SOURCE")))
       (let ((stream (first (nth-value 1 (frame-call frame)))))
         (when (equal file (existing-file (pathname stream)))
           (return-from loaded-form-position
             (internal-call ("SB-IMPL" "FORM-TRACKING-STREAM-FORM-START-CHAR-POS") stream)))))))
  nil)

(defimplementation call-with-loading-file (file function)
  ;; As LOAD does it, which can't be had without its errors, restarts and remarks.
  (let ((source-info (internal "SB-C" "*SOURCE-INFO*")) (source-paths (internal "SB-C" "*SOURCE-PATHS*"))
        (eval-form (internal "SB-IMPL" "EVAL-TLF")))
    (with-open-file (stream (native-path file))
      (let* ((info (ignore-errors (or (internal-call ("SB-C" "MAKE-FILE-STREAM-SOURCE-INFO") stream)
                                      (internal-call ("SB-C" "MAKE-FILE-SOURCE-INFO") (truename stream) :utf-8))))
             (file-info (and info (internal-call ("SB-C" "SOURCE-INFO-FILE-INFO") info)))
             (forms (and file-info (internal-call ("SB-C" "FILE-INFO-FORMS") file-info)))
             (positions (and file-info (internal-call ("SB-C" "FILE-INFO-POSITIONS") file-info))))
        (if (and source-info source-paths eval-form forms positions)
            (progv (list source-info) (list info)
              (funcall function
                       (lambda (form number position)
                         (vector-push-extend form forms)
                         (vector-push-extend position positions)
                         (progv (list source-paths) (list (make-hash-table :test #'eq))
                           (internal-call ("SB-C" "FIND-SOURCE-PATHS") form number)
                           (funcall eval-form form number)))))
            (funcall function (lambda (form number position)
                                (declare (ignore number position))
                                (eval form))))))))

;;; The compiler.

(defun compiler-context () (internal-call ("SB-C" "FIND-ERROR-CONTEXT") nil))

(defun context-path (context)
  "Where the compiler is: the number of the top-level form and indices of subforms, outermost first."
  (and context (reverse (internal-call ("SB-C" "COMPILER-ERROR-CONTEXT-ORIGINAL-SOURCE-PATH") context))))

(defun compiler-location (context)
  (let ((file (and context (internal-call ("SB-C" "COMPILER-ERROR-CONTEXT-FILE-NAME") context)))
        (path (context-path context)))
    (when (pathnamep file)
      (make-location :file (native-namestring file) :form (first path) :path (rest path)))))

(defun call-with-remarks (function remark)
  "Calls REMARK with a kind and a condition for what the compiler signals."
  (handler-bind ((condition (lambda (condition)
                              (when (compiler-failure-p condition) (funcall remark "error" condition))))
                 (sb-ext:compiler-note (lambda (note) (funcall remark "note" note)))
                 (style-warning (lambda (warning) (funcall remark "style-warning" warning)))
                 ((and warning (not style-warning)) (lambda (warning) (funcall remark "warning" warning))))
    (funcall function)))

(defimplementation compile-form (form note)
  (flet ((remark (kind condition)
           ;; The first two indices lead to the lambda expression and into it.
           (funcall note kind condition (cddr (context-path (compiler-context))))
           (let ((restart (find-restart 'muffle-warning condition)))
             (when restart (invoke-restart restart)))))
    (let ((*error-output* (make-broadcast-stream)))
      (call-with-remarks (lambda () (compile nil `(lambda () ,form))) #'remark))))

(defun redefinition-p (condition)
  (of-internal-type-p condition (internal "SB-KERNEL" "REDEFINITION-WARNING")))

(defimplementation call-with-compiler-conditions (function note)
  (flet ((remark (kind condition)
           (unless (or (string= kind "note") (redefinition-p condition))
             (let ((location (ignore-errors (compiler-location (diagnostic-context condition)))))
               ;; Undefined names are counted once more at the end.
               (unless (and (null location) (undefined-name condition))
                 (funcall note kind condition location))))))
    (call-with-remarks function #'remark)))

(defun diagnostic-context (condition)
  "The compiler's context. Undefined functions and variables are reported at the end: for these, the context of the first use."
  (or (compiler-context)
      (let* ((name (undefined-name condition))
             (entry (and name (find name (internal-value (internal "SB-C" "*UNDEFINED-WARNINGS*"))
                                    :key (internal "SB-C" "UNDEFINED-WARNING-NAME") :test #'equal))))
        (and entry (first (internal-call ("SB-C" "UNDEFINED-WARNING-WARNINGS") entry))))))

(defun undefined-name (condition)
  (and (typep condition 'simple-condition)
       (stringp (simple-condition-format-control condition))
       (search "undefined" (simple-condition-format-control condition))
       (find-if (lambda (argument) (and argument (or (symbolp argument) (consp argument)) (not (keywordp argument))))
                (reverse (simple-condition-format-arguments condition)))))

(defimplementation reader-failure (condition)
  ;; Nested: the compiler's error wraps one that has the position, which wraps the reader's own.
  (let ((failure (encapsulated condition)))
    (when (of-internal-type-p failure (internal "SB-C" "INPUT-ERROR-IN-COMPILE-FILE"))
      (destructuring-bind (line . column)
          (or (internal-call ("SB-C" "INPUT-ERROR-IN-COMPILE-FILE-LINE/COL") failure)
              (let ((known (internal-call ("SB-INT" "STREAM-ERROR-POSITION-INFO") (stream-error-stream failure))))
                (cons (second (assoc :line known)) (second (assoc :column known)))))
        (values (encapsulated failure) line column)))))

(defimplementation call-without-notes (function)
  ;; A macro that is compiled and then loaded is redefined.
  (handler-bind ((sb-ext:compiler-note #'muffle-warning)
                 (warning (lambda (warning) (when (redefinition-p warning) (muffle-warning warning)))))
    (funcall function)))

;;; Other tools.

(defimplementation watch-function (symbol tracer)
  (let ((mark (make-symbol "WATCH")))
    (internal-call ("SB-INT" "ENCAPSULATE") symbol mark
                   (lambda (original &rest arguments) (funcall tracer original arguments)))
    (lambda () (internal-call ("SB-INT" "UNENCAPSULATE") symbol mark))))

(defimplementation expand-everything (form)
  (unless (find-package "SB-CLTL2") (require :sb-cltl2))
  (external-call "SB-CLTL2" "MACROEXPAND-ALL" form))

(defimplementation profile-call (function)
  (unless (find-package "SB-SPROF") (require :sb-sprof))
  (flet ((sprof (name &rest arguments) (apply #'external-call "SB-SPROF" name arguments)))
    (sprof "RESET")
    (sprof "START-PROFILING" :max-samples 40000 :mode :cpu :sample-interval 0.002)
    (let* ((values (unwind-protect (multiple-value-list (funcall function)) (sprof "STOP-PROFILING")))
           (report (with-output-to-string (out)
                     (let ((*standard-output* (make-broadcast-stream)))
                       (sprof "REPORT" :type :flat :max 25 :stream out)))))
      (sprof "RESET")
      (values values (profile-rows report)))))

(defun profile-rows (report)
  "The rows of a flat report: number, self count and percentage, total, cumulated, calls, function."
  (with-input-from-string (lines report)
    (loop for line = (read-line lines nil)
          while line
          for row = (words line)
          for name = (format nil "~{~a~^ ~}" (nthcdr 8 row))
          when (and (> (length row) 8) (digit-char-p (char (first row) 0)) (of-profiled-code-p name (third row)))
            ;; The report counts each recursive call.
            collect (list name (third row) (if (> (length (fifth row)) 4) "100.0" (fifth row))))))

(defun of-profiled-code-p (name self)
  "False for functions that only call the code: those of the worker, whose symbols have no package, EVAL and the runtime; and
for the sleep of the worker's ticker."
  (not (or (search "#:" name)
           (search "HAWSER-WORKER" name)
           (search "sleep" name)
           (and (string= self "0.0")
                (or (string= name "EVAL") (eql 0 (search "SB-" name)) (eql 0 (search "foreign function" name)))))))

(defun words (line)
  (loop with start = 0
        for begin = (position #\Space line :start start :test-not #'char=)
        while begin
        collect (subseq line begin (setf start (or (position #\Space line :start begin) (length line))))))

(complete-backend)
