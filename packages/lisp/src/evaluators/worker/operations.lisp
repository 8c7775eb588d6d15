;;;; The operations of an evaluator, by name.

(in-package :hawser-worker)

(defun perform-operation (job kind command)
  (let ((arguments (command-arguments command)))
    (ecase kind
      (:evaluate (evaluate-text job (getf arguments :code) :evaluate))
      (:load-file (load-file job (getf arguments :path)))
      (:debug (perform-debugging command)))))

(defun finding (kind name &optional detail)
  (list :object "kind" kind "name" name "detail" (or detail :absent)))

(defun load-file (job path)
  (setf (job-phase job) :load)
  (let* ((native (native-path path))
         (truth (or (probe-file native) (refuse "There is no file " path "."))))
    (if (string-equal (or (pathname-type truth) "") "fasl")
        (load truth)
        (let ((*load-pathname* (merge-pathnames native)) (*load-truename* truth)
              (*package* *package*) (*readtable* *readtable*))
          (evaluate-text job (file-text path) :load)))
    (setf (job-values job) '())))
