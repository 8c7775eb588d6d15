;;;; The description of an error, made before its stack is unwound.

(in-package :hawser-worker)

(defstruct failure
  "What an outcome says of an error. FRAMES and RESTARTS serve the debugger and are dead when the stack is left."
  type types message phase form file line column advice
  shown-restarts restarts shown-frames frames frame-count)

(defconstant +max-frames+ 8 "How many frames of an error are shown.")
(defconstant +max-open-frames+ 50 "How many frames of an open error are shown.")

(define-condition unknown-package (refusal package-error) ()
  (:documentation "An operation names a package that does not exist."))

(defun type-of-condition (condition)
  (or (first (condition-names condition)) 'condition))

(defun condition-names (condition)
  "Names of the classes of CONDITION, most specific first, without those of the worker."
  (loop for class in (class-precedence-list (class-of condition))
        for name = (class-name class)
        when (and name (symbol-package name) (not (member (symbol-package name) *worker-packages*)))
          collect name
        until (eq name 'condition)))

(defvar *unclosed-form-text* "The form that begins here is not closed before the end of the text."
  "The message of an error at the end of a text.")

(defun describe-failure (condition job)
  (let ((failure (make-failure :phase (if (compile-error-p condition) :compile (job-phase job))
                               :form (job-form job))))
    (name-failure failure condition)
    (locate-failure failure condition job)
    (when (and (eq (job-phase job) :read) (typep condition 'end-of-file))
      (setf (failure-message failure) *unclosed-form-text*))
    (unless (failure-advice failure)
      (setf (failure-advice failure) (ignore-errors (advice-for condition job))))
    (unless (typep condition 'refusal)
      (multiple-value-bind (frames count)
          (collect-frames condition (if (eq (job-on-error job) :break) +max-open-frames+ +max-frames+))
        (setf (failure-frames failure) frames (failure-frame-count failure) count)))
    (let ((frames (failure-frames failure))
          ;; They can be chosen only while the error is open.
          (restarts (and (eq (job-on-error job) :break) (own-restarts condition job))))
      (setf (failure-shown-frames failure) (mapcar #'frame-text frames)
            (failure-restarts failure) restarts
            (failure-shown-restarts failure) (mapcar #'restart-json restarts)))
    failure))

(defun describe-failure-afterwards (condition job)
  "Without frames and restarts: there was no room on the stack to look at them."
  (let ((failure (make-failure :phase (job-phase job) :form (job-form job))))
    (name-failure failure condition)
    (locate-failure failure condition job)
    (setf (failure-advice failure) (ignore-errors (advice-for condition job)))
    failure))

(defun name-failure (failure condition)
  (let ((names (mapcar #'symbol-text (condition-names condition))))
    (setf (failure-type failure) (or (first names) "CONDITION")
          (failure-types failure) names
          (failure-message failure) (condition-text condition 4000))))

(defun locate-failure (failure condition job)
  (let ((position (or (and (eq (job-phase job) :read)
                           (not (typep condition 'end-of-file))
                           (reader-position job))
                      (job-form-start job))))
    (cond ((and position (job-text job))
           (multiple-value-bind (line column) (line-and-column (job-text job) position)
             (setf (failure-file failure) (job-file job) (failure-line failure) line (failure-column failure) column)))
          (*loading* (locate-loading-failure failure condition)))))

(defun reader-position (job)
  (let ((position (and (job-stream job) (ignore-errors (file-position (job-stream job))))))
    (and position (max (or (job-form-start job) 0) (1- position)))))

(defun own-restarts (condition job)
  "The restarts for CONDITION, up to the one that aborts JOB."
  (loop for restart in (compute-restarts condition)
        collect restart
        until (and (eq (restart-name restart) 'abort) (eq restart (job-abort-restart job)))))

(defun restart-text (restart)
  (multiple-value-bind (text end) (print-bounded (lambda (stream) (princ restart stream)) 500)
    (if (stringp text) (if (eq end :cut) (cut-text text) text) "")))

(defun restart-json (restart)
  (let ((name (restart-name restart)))
    (list :object "name" (if name (symbol-name name) "") "description" (restart-text restart))))

(defun plain-failure (type message)
  "A failure without a condition."
  (let ((job *job*))
    (let ((failure (make-failure :type type :types (list type) :message message
                                 :phase (job-phase job) :form (job-form job))))
      (locate-failure failure nil job)
      failure)))

(defun failure-json (failure)
  (list :object
        "type" (failure-type failure)
        "types" (json-strings (failure-types failure))
        "message" (failure-message failure)
        "phase" (string-downcase (symbol-name (failure-phase failure)))
        "file" (or (failure-file failure) :absent)
        "form" (or (failure-form failure) :absent)
        "line" (or (failure-line failure) :absent)
        "column" (or (failure-column failure) :absent)
        "advice" (or (failure-advice failure) :absent)
        "restarts" (cons :array (failure-shown-restarts failure))
        "frames" (json-strings (failure-shown-frames failure))
        "frameCount" (if (> (or (failure-frame-count failure) 0) (length (failure-shown-frames failure)))
                         (failure-frame-count failure)
                         :absent)))
