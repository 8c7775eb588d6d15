(asdf:defsystem "word-count"
  :description "Counts the words of a text."
  :depends-on ("alexandria" "cl-ppcre")
  :pathname "src/"
  :serial t
  :components ((:file "package") (:file "words") (:file "counts"))
  :in-order-to ((asdf:test-op (asdf:test-op "word-count/tests"))))

(asdf:defsystem "word-count/tests"
  :depends-on ("word-count" "fiveam")
  :pathname "tests/"
  :components ((:file "tests"))
  :perform (asdf:test-op (operation component)
             (uiop:symbol-call :fiveam :run! :word-count)))
