;;;; What the compiler said of the user's files during a load, and where a load has failed.

(in-package :hawser-worker)

(defconstant +max-diagnostics+ 500 "How many diagnostics of a load are kept.")

(defun note-diagnostic (kind message place &optional advice)
  "Keeps a diagnostic of the user's own files. Those of libraries are only in the output."
  (when (and place (place-file place) (own-file-p (place-file place)))
    (let ((key (list (place-file place) (place-line place) (place-column place) message)))
      (unless (shiftf (gethash key (loading-noted *loading*)) t)
        (if (< (length (loading-diagnostics *loading*)) +max-diagnostics+)
            (push (make-diagnostic :kind kind :message message :place place :advice advice) (loading-diagnostics *loading*))
            (incf (loading-dropped *loading*)))))))

(defun own-file-p (file &optional (folders (loading-folders *loading*)))
  "Whether FILE is below the user's folders, and not of a library that was installed there."
  (and (some (lambda (folder) (starts-at-p (folder-name folder) file 0)) folders)
       (notany (lambda (part) (search part file))
               '("/usr/share/common-lisp/" "/quicklisp/dists/" "/.qlot/" "/ocicl/" "/systems/ocicl"))))

(defun locate-loading-failure (failure condition)
  "Adds to FAILURE the file and line that an error during a load is about, and the message of the compiler or the reader."
  (cond ((named-p condition "LOAD-SYSTEM-DEFINITION-ERROR") (locate-definition-failure failure condition))
        ((named-p condition "COMPILE-FILE-ERROR") (locate-compile-failure failure))
        (t (place-failure failure (or (ignore-errors (location-place (stack-location #'in-work-p))) (place-in-work))))))

(defun in-work-p (file)
  "Whether FILE is the one that is loaded, or one of the user's."
  (or (equal file (loading-file *loading*)) (own-file-p file)))

(defun named-p (condition name)
  (member name (mapcar #'symbol-name (condition-names condition)) :test #'string=))

(defun place-in-work ()
  (and (loading-file *loading*) (make-place :file (loading-file *loading*))))

(defun place-failure (failure place)
  (when place
    (setf (failure-file failure) (place-file place)
          (failure-form failure) (place-form place)
          (failure-line failure) (place-line place)
          (failure-column failure) (place-column place))))

(defun locate-unclosed-form (failure file)
  "Returns whether FILE has a form that is not closed."
  (let ((place (and file (unclosed-form-place file))))
    (when place
      (setf (failure-phase failure) :read
            (failure-message failure) *unclosed-form-text*)
      (place-failure failure place)
      t)))

(defun locate-compile-failure (failure)
  (let ((diagnostic (compile-diagnostic)))
    (setf (failure-phase failure) :compile)
    (unless (locate-unclosed-form failure (loading-file *loading*))
      (place-failure failure (if diagnostic (diagnostic-place diagnostic) (place-in-work)))
      (when diagnostic
        (setf (failure-message failure) (diagnostic-message diagnostic)
              (failure-advice failure) (diagnostic-advice diagnostic))))
    ;; The failure reports it already.
    (setf (loading-diagnostics *loading*) (remove diagnostic (loading-diagnostics *loading*)))))

(defun locate-definition-failure (failure condition)
  "An .asd file could not be loaded."
  (flet ((part (name) (external-call (symbol-package (type-of-condition condition)) name condition)))
    (let ((file (native-name (part "ERROR-PATHNAME")))
          (cause (root-condition (part "ERROR-CONDITION"))))
      (unless (locate-unclosed-form failure file)
        (place-failure failure (or (ignore-errors (place-of-position file (loaded-form-position file)))
                                   (make-place :file file)))
        (setf (failure-message failure) (condition-text cause 1000)
              (failure-advice failure) (if (missing-package-name cause)
                                           "An .asd file is read in the package ASDF-USER, before its systems are loaded. Use no other package there."
                                           (advice-for cause *job*)))))))

(defun place-of-position (file position)
  (let* ((text (known-text file)) (start (skip-blanks text position)))
    (multiple-value-bind (line column) (line-and-column text start)
      (make-place :file file :line line :column column
                  :form (loop for number from 1
                              for form = (skip-blanks text 0) then (skip-blanks text (datum-end text form))
                              when (>= form start) return number)))))

(defun call-noting-diagnostics (function)
  "Calls FUNCTION and notes what the compiler says of the user's files."
  (call-with-compiler-conditions
   function
   (lambda (kind condition location)
     (unless (of-loader-p condition)
       (let ((*package* (job-package *job*)))
         (multiple-value-bind (reader-condition line column) (ignore-errors (reader-failure condition))
           (note-diagnostic kind
                            (if reader-condition (reader-message reader-condition)
                                (compiler-message (condition-text condition 1000)))
                            (if reader-condition
                                (make-place :file (loading-file *loading*) :line line :column column)
                                (diagnostic-location-place location))
                            (ignore-errors (reader-advice (root-condition condition))))))))))

(defun reader-message (condition)
  "The first paragraph of the report; the others name the stream."
  (if (typep condition 'end-of-file)
      *unclosed-form-text*
      (let ((text (condition-text condition 1000)))
        (subseq text 0 (search (format nil "~2%") text)))))

(defun diagnostic-location-place (location)
  "A location without a file is in the one that is loaded."
  (let ((file (loading-file *loading*)))
    (when (and location (null (location-file location))) (setf (location-file location) file))
    (cond ((and location (location-file location)) (ignore-errors (location-place location)))
          (file (make-place :file file)))))

(defun of-loader-p (condition)
  "ASDF and UIOP repeat in their own words what the compiler has said."
  (let* ((package (symbol-package (type-of-condition condition)))
         (name (or (and package (package-name package)) "")))
    (or (starts-at-p "ASDF" name 0) (starts-at-p "UIOP" name 0))))

(defun compile-diagnostic ()
  "Why the current file was not compiled: its first error, or else its first warning."
  (let ((own (remove (loading-file *loading*) (reverse (loading-diagnostics *loading*))
                     :key (lambda (diagnostic) (place-file (diagnostic-place diagnostic))) :test-not #'equal)))
    (or (find "error" own :key #'diagnostic-kind :test #'string=)
        (find "warning" own :key #'diagnostic-kind :test #'string=))))
