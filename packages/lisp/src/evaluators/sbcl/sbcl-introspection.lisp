;;;; What SBCL knows about definitions, and its tools to watch code.

(in-package :hawser-worker)

(defun function-lambda-list (function)
  "The lambda list, and whether it is known."
  (values (if (typep function 'generic-function)
              (sb-mop:generic-function-lambda-list function)
              (sb-kernel:%fun-lambda-list function))
          t))

(defun special-variable-p (symbol)
  (eq (sb-int:info :variable :kind symbol) :special))

(defun derived-type-p (symbol) (eq (sb-int:info :type :kind symbol) :defined))

(defun class-parents (class) (sb-mop:class-direct-superclasses class))

(defun class-slot-texts (class)
  (loop for slot in (if (sb-mop:class-finalized-p class)
                        (sb-mop:class-slots class)
                        (sb-mop:class-direct-slots class))
        collect (cons (symbol-text (sb-mop:slot-definition-name slot))
                      (outline (sb-mop:slot-definition-type slot) 200))))

(defun object-slots (object)
  (loop for slot in (sb-mop:class-slots (class-of object))
        for name = (sb-mop:slot-definition-name slot)
        collect (cons name (if (slot-boundp object name) (slot-value object name) :unbound))))

;;; Watching code.

(defun watch-function (symbol tracer)
  "Calls TRACER in place of the function of SYMBOL. Returns a function that undoes this."
  (let ((mark (make-symbol "WATCH")))
    (sb-int:encapsulate symbol mark (lambda (original &rest arguments) (funcall tracer original arguments)))
    (lambda () (sb-int:unencapsulate symbol mark))))

(defun expand-everything (form)
  (unless (find-package "SB-CLTL2") (require :sb-cltl2))
  (funcall (find-symbol "MACROEXPAND-ALL" "SB-CLTL2") form))

(defun disassembly (function) (with-output-to-string (out) (disassemble function :stream out)))
(defun lambda-disassembly (form) (disassembly (compile nil form)))

(defun profile-call (function)
  "Calls FUNCTION and returns its values and findings: where the time went."
  (unless (find-package "SB-SPROF") (require :sb-sprof))
  (flet ((sprof (name &rest arguments) (apply (find-symbol name "SB-SPROF") arguments)))
    (sprof "RESET")
    (sprof "START-PROFILING" :max-samples 40000 :mode :cpu :sample-interval 0.002)
    (let* ((values (unwind-protect (multiple-value-list (funcall function)) (sprof "STOP-PROFILING")))
           (report (with-output-to-string (out)
                     (let ((*standard-output* (make-broadcast-stream)))
                       (sprof "REPORT" :type :flat :max 25 :stream out)))))
      (sprof "RESET")
      (values values (profile-findings report)))))

(defun profile-findings (report)
  "The rows of a flat report: number, self count and percentage, total, cumulated, calls, function."
  (with-input-from-string (lines report)
    (loop for line = (read-line lines nil)
          while line
          for row = (and (digit-char-p (char (concatenate 'string (string-left-trim " " line) " ") 0)) (words line))
          for name = (join-texts (nthcdr 8 row) " ")
          when (and (> (length row) 8) (of-profiled-code-p name (third row)))
            collect (finding "function" name
                             (concatenate 'string "self " (third row) " %, total "
                                          ;; The report counts each recursive call.
                                          (if (> (length (fifth row)) 4) "100.0" (fifth row)) " %")))))

(defun of-profiled-code-p (name self)
  "False for functions that only call the code: those of the worker, whose symbols have no package, EVAL and the runtime; and
for the sleep of the worker's ticker."
  (not (or (search "#:" name)
           (search "nanosleep" name)
           (and (string= self "0.0")
                (or (string= name "EVAL") (starts-at-p "SB-" name 0) (starts-at-p "foreign function" name 0))))))

(defun words (line)
  (loop with start = 0
        for begin = (position #\Space line :start start :test-not #'char=)
        while begin
        collect (subseq line begin (setf start (or (position #\Space line :start begin) (length line))))))
