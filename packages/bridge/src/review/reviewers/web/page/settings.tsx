import { ThemeChoice } from '@hawser/page-parts/views/theme-choice';
import { useState } from 'preact/hooks';
import { canNotify, setNotifications, wantsNotifications } from './notifications.ts';

/** What the user chooses for this browser. */
export function Settings() {
  const [isTold, setTold] = useState(wantsNotifications);
  const [isDenied, setDenied] = useState(false);
  const switchNotifications = async () => {
    const isOn = await setNotifications(isTold ? 'off' : 'on');
    setTold(isOn);
    setDenied(!isTold && !isOn);
  };
  return (
    <>
      {canNotify() ? (
        <button type="button" aria-pressed={isTold} onClick={() => void switchNotifications()}>
          Notify me
        </button>
      ) : null}
      {isDenied ? (
        <span class="hint" role="alert">
          Your browser does not let this page notify you.
        </span>
      ) : null}
      <ThemeChoice />
    </>
  );
}
