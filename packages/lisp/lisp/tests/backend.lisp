;;;; The interface between the worker and an engine.

(in-package :hawser-worker/tests)
(in-suite hawser-worker)

(test the-engine-has-every-function-of-the-interface
  (is (< 50 (length (interface-functions))))
  (dolist (name (interface-functions))
    (is (fboundp name) "~a is not implemented" name)
    (is (eq :external (nth-value 1 (find-symbol (symbol-name name) :hawser-worker/backend))) "~a is not exported" name)))

(test an-engine-can-implement-only-what-is-in-the-interface
  (signals error (macroexpand-1 '(defimplementation not-in-the-interface (x) x)))
  (signals error (macroexpand-1 '(defimplementation process-id (too many) too many))))

(test a-lock-is-held-by-one-thread
  (let ((lock (make-lock)))
    (is (eq :inside (with-lock (lock) :inside)))
    ;; Free again, also after a throw.
    (is (eq :thrown (catch 'out (with-lock (lock) (throw 'out :thrown)))))
    (is (eq :inside (with-lock (lock) :inside)))))

(test text-is-decoded
  (is (equal "abc" (decode-text (coerce '(97 98 99) 'octets))))
  (is (equal (string (code-char #x3bb)) (decode-text (coerce '(#xce #xbb) 'octets)))))

(test files-are-read-as-utf-8
  (with-file (path "(+ 1 2)")
    (is (equal "(+ 1 2)" (file-text path)))))

(test a-watched-function-is-called-by-its-watcher
  (let* ((seen '())
         (undo (watch-function 'watched (lambda (original arguments)
                                          (push arguments seen)
                                          (* 10 (apply original arguments))))))
    (is (= 30 (funcall 'watched 3)))
    (funcall undo)
    (is (= 3 (funcall 'watched 3)))
    (is (equal '((3)) seen))))

(defun watched (x) x)
(declaim (notinline watched))

(test frames-have-names
  (let ((names '()))
    (map-frames (lambda (frame) (push (frame-name frame) names)))
    (is (< 3 (length names)))))

(test the-compiler-is-listened-to
  (let ((kinds '()))
    (compile-form '(let ((unused 1)) (car 5))
                  (lambda (kind remark path)
                    (declare (ignore remark path))
                    (push kind kinds)))
    #+sbcl (is (subsetp '("style-warning" "warning") kinds :test #'string=))
    #-sbcl (is (consp kinds))))
