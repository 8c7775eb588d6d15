;;;; JSON, positions in text, and printing.

(in-package :hawser-worker/tests)
(in-suite hawser-worker)

(defun json (value)
  "What JSON-LINE writes of VALUE, as text without the line end."
  (let ((buffer (json-line value (make-buffer))))
    (decode-text (subseq (buffer-octets buffer) 0 (1- (buffer-end buffer))))))

(test json-values
  (is (equal "{\"a\":1,\"c\":[\"x\",true,null]}"
             (json '(:object "a" 1 "b" :absent "c" (:array "x" :true :null)))))
  (is (equal "-120" (json -120)))
  (is (equal "12345678901234567890123" (json 12345678901234567890123))))

(test json-does-not-obey-the-printer
  (let ((*print-base* 2) (*print-radix* t) (*print-case* :downcase))
    (is (equal "{\"n\":10}" (json '(:object "n" 10))))))

(test json-escapes-what-readers-reject
  (flet ((escaped (code) (json (string (code-char code)))))
    (is (equal "\"\\\"\"" (escaped 34)))
    (is (equal "\"\\\\\"" (escaped 92)))
    (is (equal "\"\\n\"" (escaped 10)))
    (is (equal "\"\\u0000\"" (escaped 0)))
    (is (equal "\"\\u009f\"" (escaped #x9f)))
    (is (equal "\"\\u2028\"" (escaped #x2028)))
    ;; Half of a surrogate pair.
    #+sbcl (is (equal "\"\\ufffd\"" (escaped #xd800)))))

(test json-keeps-every-other-character
  (let ((text (coerce (loop for code in '(65 #xe9 #x3bb #x4e2d #x1f600) collect (code-char code)) 'string)))
    (is (equal (format nil "\"~a\"" text) (json text)))
    (let ((long (make-string 20000 :initial-element (code-char #x3bb))))
      (is (equal (format nil "\"~a\"" long) (json long))))))

(test line-and-column
  (let ((text (format nil "one~%two~%  three")))
    (is (equal '(1 0) (multiple-value-list (line-and-column text 0))))
    (is (equal '(2 1) (multiple-value-list (line-and-column text 5))))
    (is (equal '(3 2) (multiple-value-list (line-and-column text 10))))))

(test blanks-and-comments-are-skipped
  (let ((text (format nil "  ; no ( here~%#| |# ~% (a)")))
    (is (= (search "(a)" text) (skip-blanks text 0))))
  (is (= 12 (skip-blanks "#|a #|b|# |#x" 0))))

(test a-datum-ends-where-the-reader-ends-it
  (dolist (datum '("(a (b) \")\" #\\))" "\"a\\\"b\"" "'(a)" "#'car" "`(a ,@b)" "sym\\ bol" "|a b|" "#(1 2)" "#\\(" "#p\"x\""))
    (is (= (length datum) (datum-end (concatenate 'string datum " z") 0)) "~a" datum)))

(test subforms-are-found-by-their-indices
  (let ((text "(defun f (x) (let ((y 'z)) (g y)))"))
    (is (eql (search "(g y)" text) (position-in-text text 0 '(3 2))))
    (is (eql (search "z)" text) (position-in-text text 0 '(3 1 0 1 1))))
    (is (null (position-in-text text 0 '(9))))))

(test outlines-stop-early
  (is (= 9 (length (outline (make-list 50) 8))) "eight characters and an ellipsis")
  (is (equal "(A (B (C (...))))" (outline '(a (b (c (d)))) 100)))
  (let ((circle (list 1 2))) (setf (cddr circle) circle)
    (is (equal "(1 2 1 2 1 2 1 2 1 2 ...)" (outline circle 100)))))

(test a-long-value-is-cut
  (multiple-value-bind (text complaint cut) (value-text (make-list 1000) 100)
    (is (= 101 (length text)))
    (is (null complaint))
    (is (eq :cut cut))))

(test a-circular-value-is-printed-with-labels
  (let ((circle (list 1 2)))
    (setf (cddr circle) circle)
    (is (equal "#1=(1 2 . #1#)" (value-text circle 100)))))
