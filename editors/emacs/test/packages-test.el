;;; packages-test.el --- Tests with packages of Debian  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; packages/bridge/src/editor-kit/emacs.test.ts runs them.

;;; Code:

(require 'ert)
(require 'package)
(package-initialize)
(require 'flycheck)
(require 'hawser)

(ert-deftest hawser-agents-are-told-what-flycheck-finds ()
  (let* ((file (make-temp-file "hawser-test" nil ".sh" "#!/bin/bash\n\nif then\n"))
         (sent nil))
    (cl-letf (((symbol-function 'hawser--running-p) #'always)
              ((symbol-function 'hawser--notify) (lambda (&rest message) (push message sent))))
      (add-hook 'flycheck-after-syntax-check-hook #'hawser--send-diagnostics)
      (with-current-buffer (find-file-noselect file)
        (let ((flycheck-checkers '(sh-bash)))
          (flycheck-mode 1)
          (flycheck-buffer)
          (while (not sent) (accept-process-output nil 1)))
        (kill-buffer)))
    (delete-file file)
    (pcase-let ((`(:textDocument/publishDiagnostics ,params) (car sent)))
      (should (equal (plist-get params :uri) (hawser--uri file)))
      (let ((first (aref (plist-get params :diagnostics) 0)))
        (should (equal (plist-get first :severity) 1))
        (should (equal (plist-get first :source) "sh-bash"))
        (should (string-match-p "syntax error" (plist-get first :message)))
        (should (equal (plist-get (plist-get (plist-get first :range) :start) :line) 2))))))

(provide 'packages-test)
;;; packages-test.el ends here
