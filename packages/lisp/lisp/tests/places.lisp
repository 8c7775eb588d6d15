;;;; Where definitions are.

(in-package :hawser-worker/tests)
(in-suite hawser-worker)

(defvar *file-of-definitions*
  (format nil ";;; A comment.~2%~
               (in-package :hawser-worker/tests)~2%~
               (defun loaded-function (x) (* x 2))~%~
               (defvar *loaded-variable* 1)~2%~
               (progn~%  (defclass loaded-class () ())~%  (defmethod loaded-method ((x loaded-class)) x))~%")
  "The text of a file.")

(test definitions-of-a-loaded-file-have-places
  (with-file (path *file-of-definitions*)
    (perform (lambda (job) (load-file job path)))
    (let ((*job* (make-job)))
      (loop for (name kind form line) in '((loaded-function "function" 2 5) (*loaded-variable* "variable" 3 6)
                                           (loaded-class "class" 4 8))
            do (let ((place (aspect-place name kind)))
                 (is (equal (list path form line)
                            (and place (list (place-file place) (place-form place) (place-line place))))
                     "~a: ~a" name place))))))

#+sbcl
(test the-lisp-itself-knows-where-definitions-of-a-loaded-file-are
  ;; SLIME and Sly ask it.
  (require :sb-introspect)
  (with-file (path *file-of-definitions*)
    (perform (lambda (job) (load-file job path)))
    (flet ((source (name kind)
             (let ((source (first (external-call "SB-INTROSPECT" "FIND-DEFINITION-SOURCES-BY-NAME" name kind))))
               (list (ignore-errors
                      (native-namestring (external-call "SB-INTROSPECT" "DEFINITION-SOURCE-PATHNAME" source)))
                     (first (external-call "SB-INTROSPECT" "DEFINITION-SOURCE-FORM-PATH" source))))))
      (is (equal (list path 1) (source 'loaded-function :function)))
      (is (equal (list path 2) (source '*loaded-variable* :variable)))
      (is (equal (list path 3) (source 'loaded-class :class)))
      (is (equal (list path 3) (source 'loaded-method :method))))))

(test a-loaded-file-is-evaluated-form-by-form
  (with-file (path (format nil "(in-package :hawser-worker/tests)~%(defparameter *before-the-error* :here)~%(error \"in the file\")"))
    (let ((failure (job-failure (perform (lambda (job) (load-file job path))))))
      (is (eq :here (symbol-value '*before-the-error*)))
      (is (equal (list "SIMPLE-ERROR" "in the file" path 3)
                 (list (failure-type failure) (failure-message failure) (failure-file failure) (failure-line failure)))))))

(test a-file-that-can-not-be-read-has-the-reader-s-error
  (with-file (path (format nil "(list 1)~%(list no-such-package:symbol)"))
    (let ((failure (job-failure (perform (lambda (job) (load-file job path))))))
      (is (search "no-such-package" (failure-message failure) :test #'char-equal))
      (is (eql 2 (failure-line failure))))))

(test many-definitions-keep-the-newest-places
  (let ((*evaluated* (make-hash-table :test #'equal)) (*evaluated-before* (make-hash-table :test #'equal)))
    (flet ((define (name line)
             (let ((job (make-job :id line)))
               (note-definitions (list 'defun name '()) job)))
           (call-of (name) (let ((place (hawser-worker::evaluated-place :function name)))
                             (and place (hawser-worker::place-call place)))))
      (define 'defined-first 1)
      (loop for count from 1 to +max-evaluated+
            do (define (intern (format nil "DEFINED-~d" count)) 2))
      (define 'defined-first 3)
      (define 'defined-last 4)
      (is (eql 3 (call-of 'defined-first)) "a redefinition")
      (is (eql 4 (call-of 'defined-last)) "a new definition"))))
