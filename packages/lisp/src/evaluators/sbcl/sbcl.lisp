;;;; What the worker needs of SBCL: descriptors, threads, interrupts, the end of the process.

(in-package :hawser-worker)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (import '(sb-gray:fundamental-character-output-stream sb-gray:stream-write-char sb-gray:stream-write-string
            sb-gray:stream-line-column sb-gray:stream-start-line-p)))

;;; Internal symbols of SBCL are looked up by name: a version without one loses only what needs it.

(defmacro internal (package name)
  "The symbol NAME of PACKAGE, or NIL."
  `(load-time-value (and (find-package ,package) (find-symbol ,name ,package))))

(defun internal-value (symbol) (and symbol (boundp symbol) (symbol-value symbol)))

(defun of-internal-type-p (object type) (and type (find-class type nil) (typep object type)))

(defmacro define-close-method (class)
  "Closing a stream of CLASS does nothing."
  `(defmethod close ((stream ,class) &key abort)
     (declare (ignore abort))
     t))

(defun engine-name ()
  (concatenate 'string "SBCL " (lisp-implementation-version)))

(defvar *exercise-pays* t)

(defvar *saves-image* nil)

(defun prepare-image ()
  "Loads what most sessions need into an image that is about to be saved; one that starts from source loads it later."
  (when *saves-image*
    (setf *saves-image* nil)
    (require :asdf)
    (require :sb-introspect)))

;;; Locks. Neither an interrupt nor the end of the thread comes between lock and unlock.

(defun make-lock () (sb-thread:make-mutex :name "hawser"))

(defmacro with-lock ((lock) &body body)
  (let ((mutex (gensym "MUTEX")))
    `(let ((,mutex ,lock))
       (sb-sys:without-interrupts
         (sb-thread:grab-mutex ,mutex)
         (unwind-protect (progn ,@body)
           (sb-thread:release-mutex ,mutex))))))

;;; Threads of the worker run without interrupts, so that evaluated code cannot end them. If one fails all the same, the
;;; worker could not answer any more, so it ends.

(defun start-thread (name function)
  (sb-thread:make-thread
   (lambda ()
     (sb-sys:without-interrupts
       (handler-bind ((serious-condition #'end-after-failure))
         (funcall function))))
   :name name))

(defun write-past-lisp (text)
  "To descriptor 2, without any stream."
  (let ((octets (sb-ext:string-to-octets text :external-format :utf-8)))
    (sb-sys:with-pinned-objects (octets) (sb-unix:unix-write 2 octets 0 (length octets)))))

(defun pause-ticker () (sb-unix:nanosleep 0 100000000))

;;; The thread that performs operations: the main one, unless the worker is attached to an image.
(defvar *worker-thread* nil)
(defun worker-thread () (or *worker-thread* (sb-thread:main-thread)))
(defun in-worker-thread-p () (eq sb-thread:*current-thread* (worker-thread)))
(defun interrupt-worker (function) (sb-thread:interrupt-thread (worker-thread) function))

(defun end-this-thread () (sb-thread:abort-thread))

;;; The private descriptors.

(defstruct wire
  descriptor
  (chunk (make-array 65536 :element-type '(unsigned-byte 8)) :type (simple-array (unsigned-byte 8) (*)))
  (start 0 :type fixnum)
  (end 0 :type fixnum))

(defvar *commands-wire*)
(defvar *control-wire*)
(defvar *process*)

(defmacro system-call (name &rest arguments)
  `(sb-alien:alien-funcall
    (sb-alien:extern-alien ,name (function sb-alien:long ,@(loop for nil in arguments collect 'sb-alien:long)))
    ,@arguments))

(defun open-wires ()
  (setf *process* (sb-unix:unix-getpid)
        *commands-wire* (make-wire :descriptor (hide-descriptor 3))
        *control-wire* (make-wire :descriptor (hide-descriptor 4))))

(defun hide-descriptor (public)
  "Moves a descriptor out of the way of evaluated code that closes low descriptors or starts programs."
  (let* ((duplicate-closed-on-exec #+linux 1030 #-linux 67)
         (lowest (+ 200 (random 500 (make-random-state t))))
         (private (sb-alien:alien-funcall
                   (sb-alien:extern-alien "fcntl" (function sb-alien:int sb-alien:int sb-alien:int sb-alien:int))
                   public duplicate-closed-on-exec lowest)))
    (cond ((minusp private) public)
          (t (sb-unix:unix-close public) private))))

(defun fill-chunk (wire)
  "Waits for octets; returns whether there were any."
  (let ((chunk (wire-chunk wire)))
    (sb-sys:with-pinned-objects (chunk)
      (loop (multiple-value-bind (count problem)
                (sb-unix:unix-read (wire-descriptor wire) (sb-sys:vector-sap chunk) (length chunk))
              (when (or count (/= problem sb-unix:eintr))
                (setf (wire-start wire) 0 (wire-end wire) (or count 0))
                (return (plusp (wire-end wire)))))))))

(defun read-message (wire)
  "The octets of the next command; NIL when the server has closed the descriptor. Can't be interrupted."
  (sb-sys:without-interrupts
    (let ((length 0))
      (declare (fixnum length))
      (loop
        (when (and (= (wire-start wire) (wire-end wire)) (not (fill-chunk wire))) (return-from read-message nil))
        (let ((octet (aref (wire-chunk wire) (wire-start wire))))
          (incf (wire-start wire))
          (when (= octet 10) (return))
          (setf length (+ (* 10 length) (- octet 48)))))
      (let ((octets (make-array length :element-type '(unsigned-byte 8))) (filled 0))
        (loop while (< filled length)
              do (when (and (= (wire-start wire) (wire-end wire)) (not (fill-chunk wire)))
                   (return-from read-message nil))
                 (let ((more (min (- (wire-end wire) (wire-start wire)) (- length filled))))
                   (replace octets (wire-chunk wire)
                            :start1 filled :start2 (wire-start wire) :end2 (+ (wire-start wire) more))
                   (incf filled more)
                   (incf (wire-start wire) more)))
        octets))))

(defun write-wire (octets end)
  (sb-sys:with-pinned-objects (octets)
    (loop with start = 0
          while (< start end)
          do (multiple-value-bind (count problem)
                 (sb-unix:unix-write (wire-descriptor *commands-wire*) octets start (- end start))
               (cond (count (incf start count))
                     ((/= problem sb-unix:eintr) (end-everything)))))))

(defun leaks-pending-p ()
  "Whether descriptors 1 or 2 hold unread output that did not pass through Lisp's streams; true if that is unknown."
  #-linux t
  #+linux
  (flet ((unread (descriptor)
           (sb-alien:with-alien ((count sb-alien:int -1))
             (let ((octets-not-taken #x5411))
               (sb-alien:alien-funcall
                (sb-alien:extern-alien "ioctl" (function sb-alien:int sb-alien:int sb-alien:unsigned-long (* sb-alien:int)))
                descriptor octets-not-taken (sb-alien:addr count)))
             count)))
    (not (and (eql (unread 1) 0) (eql (unread 2) 0)))))

(defun decode-text (octets)
  (declare (type (simple-array (unsigned-byte 8) (*)) octets))
  (let ((text (make-string (length octets))))
    ;; SBCL's decoder takes ten times as long, and most commands are ASCII.
    (dotimes (index (length octets) text)
      (let ((octet (aref octets index)))
        (when (> octet 127) (return (sb-ext:octets-to-string octets :external-format :utf-8)))
        (setf (schar text index) (code-char octet))))))

(defun file-text (path)
  (with-open-file (stream (sb-ext:parse-native-namestring path)
                          :external-format '(:utf-8 :replacement #\ufffd))
    (let* ((text (make-string (file-length stream)))
           (end (read-sequence text stream)))
      (subseq text 0 end))))

(defun native-path (path) (sb-ext:parse-native-namestring path))

;;; The process.

(defun prepare-process ()
  (setf (sb-alien:extern-alien "lose_on_corruption_p" sb-alien:int) 0)
  ;; When the server dies, descriptor 4 ends; a stopped process must be woken to read that.
  #+linux
  (let ((set-parent-death-signal 1) (sigcont 18))
    (system-call "prctl" set-parent-death-signal sigcont))
  ;; Linux hangs up on a stopped process whose parent dies, before it could end what it has started.
  (sb-sys:enable-interrupt sb-unix:sighup :ignore)
  (sb-sys:enable-interrupt sb-unix:sigint :ignore)
  (sb-sys:enable-interrupt sb-unix:sigterm :default))

(defun lead-process-group () (system-call "setpgid" 0 0))

(defun end-process (process) (system-call "kill" process 9))

(defun end-soon ()
  "Ends the process within two seconds, whatever happens next."
  (sb-sys:enable-interrupt sb-unix:sigalrm :default)
  (system-call "alarm" 2))

(defun end-process-group ()
  (system-call "kill" 0 9)
  (system-call "_exit" 1))

(defun forked-p () (/= *process* (sb-unix:unix-getpid)))
(defun end-forked-process () (system-call "_exit" 0))

(defun real-microseconds ()
  ;; The clock behind GET-INTERNAL-REAL-TIME advances in steps of several milliseconds.
  (let ((monotonic 1))
    (multiple-value-bind (seconds nanoseconds) (sb-unix::clock-gettime monotonic)
      (+ (* seconds 1000000) (floor nanoseconds 1000)))))

(defun run-milliseconds () (floor (get-internal-run-time) (/ internal-time-units-per-second 1000)))
(defun consed-bytes () (sb-ext:get-bytes-consed))

;;; Evaluation.

(defun call-afresh (function)
  "No handler is established around the worker here."
  (funcall function))

(defun call-debuggably (function)
  "What FUNCTION compiles keeps its variables for the debugger. Tail calls are merged all the same: otherwise loops
written as recursion would exhaust the stack."
  (let ((sb-c::*policy* sb-c::*policy*))
    (proclaim '(optimize (debug 3)))
    (let ((catch-frames (internal "SB-C" "INSERT-DEBUG-CATCH")))
      (when catch-frames (proclaim `(optimize (,catch-frames 0)))))
    (funcall function)))

(defmacro with-debugger-hook ((hook) &body body)
  `(let ((sb-ext:*invoke-debugger-hook* ,hook)) ,@body))

(defun set-debugger-hook (hook) (setf sb-ext:*invoke-debugger-hook* hook))

(defun restart-interactive-function (restart) (sb-kernel::restart-interactive-function restart))

(defun call-refusing-exit (function)
  "Calls FUNCTION. Returns its value, or (:EXIT code) when the code called SB-EXT:EXIT."
  (let ((result :exit))
    (catch 'sb-impl::%end-of-the-world
      (setf result (funcall function)))
    (cond ((eq result :exit)
           (prog1 (list :exit (if (integerp sb-sys:*exit-in-progress*) sb-sys:*exit-in-progress* 0))
             (setf sb-sys:*exit-in-progress* nil)
             (let ((lock (internal-value (internal "SB-IMPL" "*EXIT-LOCK*"))))
               (when (and lock (sb-thread:holding-mutex-p lock)) (sb-thread:release-mutex lock)))))
          (t result))))

(defun recover-from (condition)
  "Called after the stack of CONDITION was unwound."
  (when (of-internal-type-p condition (internal "SB-KERNEL" "HEAP-EXHAUSTED-ERROR")) (sb-ext:gc :full t)))

(defun function-name-text (function)
  (let ((name (sb-kernel:%fun-name function)))
    (and name (outline name 100))))

(defun no-room-to-describe-p (condition)
  "False: SBCL's guard page leaves enough stack."
  (declare (ignore condition))
  nil)

(defun report-condition (condition stream)
  ;; SBCL's reader adds the stream and the position, which are fields of the outcome; its compiler adds references.
  (let ((references (or (internal "SB-EXT" "*PRINT-CONDITION-REFERENCES*")
                        (internal "SB-INT" "*PRINT-CONDITION-REFERENCES*"))))
    (progv (and references (list references)) '(nil)
      (if (and (typep condition 'reader-error) (typep condition 'simple-condition))
          (apply #'format stream (simple-condition-format-control condition)
                 (simple-condition-format-arguments condition))
          (princ condition stream)))))

(defun note-compiler-verdict (condition)
  "Tells the running compiler about a warning before it is muffled: otherwise COMPILE would not return that it has warned
or failed."
  (let ((warned (internal "SB-C" "*WARNINGS-P*")) (failed (internal "SB-C" "*FAILURE-P*")))
    (when (and warned (boundp warned)) (set warned t))
    (when (and failed (boundp failed) (not (typep condition 'style-warning))) (set failed t))))

(defun condition-classes (condition)
  (sb-mop:class-precedence-list (class-of condition)))

(deftype compiler-failure ()
  "An error that the compiler reports while it goes on."
  'sb-c:compiler-error)

(defun compile-error-p (condition) (typep condition 'sb-int:compiled-program-error))
