;;;; What a reader of the system finds with describe.

(in-package :hawser-worker/tests)
(in-suite hawser-worker)

(defun worker-symbols ()
  (loop for package in hawser-worker::*worker-packages*
        append (loop for symbol being the present-symbols of package
                     when (eq (symbol-package symbol) package)
                       collect symbol)))

(test variables-and-constants-are-documented
  (dolist (symbol (worker-symbols))
    (when (boundp symbol)
      (is (documentation symbol 'variable) "~s has no documentation" symbol)
      (is (if (constantp symbol)
              (char= #\+ (char (symbol-name symbol) 0))
              (char= #\* (char (symbol-name symbol) 0)))
          "~s is not named as a constant or a special variable is" symbol))))

(test exported-functions-and-macros-are-documented
  (dolist (symbol (worker-symbols))
    (when (and (eq :external (nth-value 1 (find-symbol (symbol-name symbol) (symbol-package symbol))))
               (fboundp symbol)
               ;; Accessors.
               (not (search "LOCATION-" (symbol-name symbol)))
               (not (search "BUFFER-" (symbol-name symbol)))
               (not (search "MAKE-" (symbol-name symbol) :end2 (min 5 (length (symbol-name symbol))))))
      (is (documentation symbol 'function) "~s has no documentation" symbol))))

(test structures-and-classes-are-documented
  (dolist (symbol (worker-symbols))
    (let ((class (find-class symbol nil)))
      (when class (is (documentation symbol 'type) "~s has no documentation" symbol)))))
