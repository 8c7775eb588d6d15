;;; hawser-test.el --- Tests of the logic that needs no bridge  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; packages/bridge/src/editor-kit/emacs.test.ts runs them.

;;; Code:

(require 'ert)
(require 'hawser)

(defmacro hawser-test-with-proposal (params &rest body)
  "Run BODY with `proposal' open as PARAMS, and `sent' what was decided."
  (declare (indent 1))
  `(let* ((hawser--proposals nil)
          (hawser-popup nil)
          (hawser-confirm-kill nil)
          (inhibit-message t)
          (sent nil))
     (cl-letf (((symbol-function 'hawser--running-p) #'always)
               ((symbol-function 'jsonrpc-async-request)
                (lambda (_connection method params &rest _) (push (cons method params) sent))))
       (hawser--handle 'proposal/show (append ,params (hawser-test-proposal)))
       (let ((proposal (car hawser--proposals)))
         (unwind-protect
             (with-current-buffer (hawser--diff-buffer proposal)
               ,@body)
           (hawser--handle 'proposal/close
                           '(:id "k1" :outcome (:kind "accepted" :by "Emacs"))))))))

(defun hawser-test-proposal ()
  "Return a proposal of two hunks."
  (list :id "k1" :revision 3 :uri "file:///p/a.txt" :agent "An agent" :effect "edit"
        :base "original" :noteDelivery "words" :isNewFile :json-false
        :oldText "1\n2\n3\n4\n5\n6\n7\n8\n9\n10" :newText "one\n2\n3\n4\n5\n6\n7\n8\n9\nten"
        :hunks [[0 1 0 1] [9 1 9 1]]))

(defun hawser-test-decision (sent)
  "Return the decision in SENT."
  (plist-get (alist-get :proposal/decide sent) :decision))

(ert-deftest hawser-diff-has-a-hunk-for-each-of-the-bridge ()
  (hawser-test-with-proposal nil
    (goto-char (point-min))
    (search-forward "@@")
    (beginning-of-line)
    (should (equal (buffer-substring-no-properties (point) (point-max))
                   (concat "@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n"
                           "@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n\\ No newline at end of file\n"
                           "+ten\n\\ No newline at end of file\n")))))

(ert-deftest hawser-accept-sends-no-text-and-the-revision-that-was-seen ()
  (hawser-test-with-proposal nil
    (hawser-accept)
    (should (equal (alist-get :proposal/decide sent)
                   '(:id "k1" :revision 3 :decision (:kind "accepted"))))
    (should-error (hawser-accept) :type 'user-error)))

(ert-deftest hawser-rejected-hunks-are-left-out ()
  (hawser-test-with-proposal nil
    (goto-char (point-min))
    (diff-hunk-next)
    (hawser-reject-hunk)
    (should (string-search "@@ -1,4 +1,4 @@ rejected" (buffer-string)))
    (should (equal (get-text-property (point) 'hawser-hunk) 1))
    (hawser-accept)
    (should (equal (hawser-test-decision sent) '(:kind "accepted" :hunks [1])))))

(ert-deftest hawser-accepting-nothing-is-refused ()
  (hawser-test-with-proposal nil
    (goto-char (point-min))
    (diff-hunk-next)
    (hawser-reject-hunk)
    (hawser-reject-hunk)
    (should-error (hawser-accept) :type 'user-error)
    (should-not sent)))

(ert-deftest hawser-an-edited-text-is-what-is-accepted ()
  (hawser-test-with-proposal nil
    (with-current-buffer (hawser--editable proposal)
      (goto-char (point-max))
      (insert "!")
      (hawser-accept))
    (should (string-suffix-p "ten!" (plist-get (hawser-test-decision sent) :text)))))

(ert-deftest hawser-edited-text-with-rejected-hunks-is-looked-at-again-before-it-is-accepted ()
  (hawser-test-with-proposal nil
    (goto-char (point-min))
    (diff-hunk-next)
    (hawser-reject-hunk)
    (with-current-buffer (hawser--editable proposal)
      (insert "more\n")
      (hawser-accept))
    (should-not (hawser-test-decision sent))
    (should (equal (plist-get (alist-get :proposal/hunks sent) :choices)
                   ["rejected" "undecided"]))))

(ert-deftest hawser-notes-name-side-and-lines ()
  (hawser-test-with-proposal nil
    (goto-char (point-min))
    (search-forward "\n-10")
    (hawser-add-note "why")
    (goto-char (point-min))
    (hawser-add-note "in all")
    (diff-hunk-next)
    (hawser-add-note "this hunk")
    (should (string-search "# Note: why" (buffer-string)))
    (hawser-request-changes)
    (should (equal (plist-get (hawser-test-decision sent) :notes)
                   [(:text "why" :lines (:side "old" :first 9 :count 1))
                    (:text "in all")
                    (:text "this hunk" :lines (:side "new" :first 0 :count 1))]))))

(ert-deftest hawser-the-next-round-says-what-is-new-and-keeps-what-was-decided ()
  (hawser-test-with-proposal '(:marks ["rejected" "undecided"]
                               :previous (:round 1 :notes [(:text "louder")] :marks ["rejected"]
                                          :since (:hunks [[9 1 9 1]] :noteLines [9])))
    (should (string-search "You asked in round 1: louder" (buffer-string)))
    (should (string-search "@@ -1,4 +1,4 @@ rejected\n" (buffer-string)))
    (should (string-search "@@ -7,4 +7,4 @@ new in this round\n" (buffer-string)))
    (hawser-accept)
    (should (equal (hawser-test-decision sent) '(:kind "accepted" :hunks [1])))))

(ert-deftest hawser-notes-are-refused-if-they-reach-nobody ()
  (hawser-test-with-proposal '(:noteDelivery "none")
    (should-error (call-interactively #'hawser-add-note) :type 'user-error)))

(ert-deftest hawser-what-the-user-edited-survives-an-update-and-a-withdrawal ()
  (let (kept)
    (hawser-test-with-proposal nil
      (setq kept (hawser--editable proposal))
      (with-current-buffer kept (insert "mine\n"))
      (hawser--handle 'proposal/update (append '(:revision 4 :oldText "0\n") (hawser-test-proposal)))
      (should (string-prefix-p "mine\n" (hawser--text proposal)))
      (hawser--handle 'proposal/close '(:id "k1" :outcome (:kind "withdrawn" :reason "gone")))
      (should (buffer-live-p kept)))
    (should (string-prefix-p "mine\n" (with-current-buffer kept (buffer-string))))
    (kill-buffer kept)))

(ert-deftest hawser-what-the-user-edited-is-kept-when-it-is-decided-elsewhere ()
  (let (kept)
    (hawser-test-with-proposal nil
      (setq kept (hawser--editable proposal))
      (with-current-buffer kept (insert "mine\n"))
      (hawser--handle 'proposal/close '(:id "k1" :outcome (:kind "accepted" :by "elsewhere"))))
    (should (string-prefix-p "mine\n" (with-current-buffer kept (buffer-string))))
    (kill-buffer kept)))

(ert-deftest hawser-killing-the-diff-rejects ()
  (hawser-test-with-proposal nil
    (kill-buffer (hawser--proposal-diff-buffer proposal))
    (should (equal (hawser-test-decision sent) '(:kind "rejected")))))

(defun hawser-test-windows ()
  "Return everything that a user sees of the windows."
  (cons (selected-window)
        (mapcar (lambda (window)
                  (list window (window-buffer window) (window-edges window)
                        (window-start window) (window-point window)))
                (window-list))))

(ert-deftest hawser-the-windows-are-as-before-when-a-proposal-has-ended ()
  (dolist (split (list #'ignore #'split-window-below #'split-window-right))
    (dolist (use (list #'ignore
                       (lambda () (hawser-edit) (hawser-show-diff) (hawser-edit))
                       (lambda () (hawser-edit) (hawser-accept))
                       (lambda () (hawser-show-diff) (other-window 1) (hawser-review))
                       (lambda () (hawser-ediff) (hawser-show-diff) (hawser-edit))))
      (save-window-excursion
        (delete-other-windows)
        (with-current-buffer (window-buffer)
          (erase-buffer)
          (insert (make-string 200 ?\n)))
        (goto-char 150)
        (set-window-start nil 140)
        (funcall split)
        (let ((before (hawser-test-windows)))
          (hawser-test-with-proposal nil
            (hawser-review)
            (should (hawser--visible-p proposal))
            (funcall use))
          (should (equal before (hawser-test-windows))))))))

(ert-deftest hawser-a-window-that-shows-the-next-proposal-is-as-before-after-both ()
  (save-window-excursion
    (delete-other-windows)
    (let ((before (hawser-test-windows)))
      (hawser-test-with-proposal nil
        (hawser--handle 'proposal/show (plist-put (hawser-test-proposal) :id "k2"))
        (hawser--show proposal)
        (hawser--show (cadr hawser--proposals))
        (should (eq (window-buffer) (hawser--proposal-diff-buffer (cadr hawser--proposals))))
        (hawser--handle 'proposal/close '(:id "k1" :outcome (:kind "rejected")))
        (should-not (equal before (hawser-test-windows)))
        (hawser--handle 'proposal/close '(:id "k2" :outcome (:kind "rejected"))))
      (should (equal before (hawser-test-windows))))))

(ert-deftest hawser-a-large-text-is-shown-as-a-diff-whatever-the-view ()
  (save-window-excursion
    (let ((hawser-view 'ediff)
          (hawser-ediff-max-size 5))
      (hawser-test-with-proposal nil
        (hawser--show proposal)
        (should (eq (window-buffer) (hawser--proposal-diff-buffer proposal)))
        (should-not (hawser--proposal-ediff-buffer proposal))
        (setq hawser-ediff-max-size 1000)
        (hawser--show proposal)
        (should (hawser--proposal-ediff-buffer proposal))))))

(ert-deftest hawser-nothing-appears-while-the-user-is-busy ()
  (hawser-test-with-proposal nil
    (let ((noninteractive nil)
          (hawser-popup 'select)
          (isearch-mode t))
      (unwind-protect
          (progn
            (hawser--show-now)
            (should-not (hawser--visible-p proposal))
            (should (memq #'hawser--show-after-command (default-value 'post-command-hook))))
        (remove-hook 'post-command-hook #'hawser--show-after-command)))))

(ert-deftest hawser-an-agent-cannot-choose-code-to-run ()
  (hawser-test-with-proposal '(:newText "-*- mode: emacs-lisp; eval: (error \"ran\") -*-\n" :hunks [[0 10 0 1]])
    (with-current-buffer (hawser--editable proposal)
      (should-not (derived-mode-p 'emacs-lisp-mode)))))

(ert-deftest hawser-positions-count-utf-16-units ()
  (with-temp-buffer
    (insert "a\n😀b")
    (should (equal (hawser--position (point-max)) '(:line 1 :character 3)))
    (hawser--goto '(:line 1 :character 2))
    (should (looking-at-p "b"))
    (hawser--goto '(:line 9 :character 0))
    (should (eobp))))

(ert-deftest hawser-what-json-cannot-carry-is-replaced ()
  (should (equal (hawser--encodable "a\0b\x3fff80") "a�b�"))
  (should (equal (hawser--encodable "ä😀") "ä😀")))

(ert-deftest hawser-paths-and-uris-agree ()
  (dolist (path '("/p/a b.txt" "/p/ä😀#?%.txt"))
    (should (equal (hawser--path (hawser--uri path)) path))))

(defun hawser-test-definition (file line character)
  "Return what is answered to a request for a definition in FILE.
It is for what is in LINE at CHARACTER."
  (let (answer)
    (funcall (hawser--answer nil 'textDocument/definition
                             (list :textDocument (list :uri (hawser--uri file))
                                   :position (list :line line :character character)))
             (lambda (kind value) (setq answer (list kind value))))
    answer))

(ert-deftest hawser-xref-finds-definitions-where-eglot-is-not ()
  (let* ((file (make-temp-file "hawser-test" nil ".el" "\n(defun hawser-test-here ())\n(hawser-test-here)\n"))
         (buffer (find-file-noselect file)))
    (unwind-protect
        (progn
          (load file nil t t)
          (pcase-let ((`(:result [(:uri ,uri :range (:start ,start :end ,_))])
                       (hawser-test-definition file 2 3)))
            (should (equal uri (hawser--uri file)))
            (should (equal (plist-get start :line) 1))))
      (kill-buffer buffer)
      (delete-file file))))

(ert-deftest hawser-without-eglot-and-xref-the-bridge-is-told-so ()
  (let* ((file (make-temp-file "hawser-test" nil ".txt" "one\n"))
         (buffer (find-file-noselect file)))
    (unwind-protect
        (should (equal -32601 (alist-get 'jsonrpc-error-code
                                         (cddr (should-error (hawser-test-definition file 0 1)
                                                             :type 'jsonrpc-error)))))
      (kill-buffer buffer)
      (delete-file file))))

(ert-deftest hawser-a-late-request-does-nothing ()
  (should-error (hawser--answer nil 'window/showDocument '(:uri "file:///p" :deadline 1)) :type 'jsonrpc-error))

(provide 'hawser-test)
;;; hawser-test.el ends here
