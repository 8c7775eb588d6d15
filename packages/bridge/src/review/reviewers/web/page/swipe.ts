/** A finger has to go this far sideways, and much less up or down. */
const FAR_PX = 70;
const STEEP = 0.5;

/** Calls back with 1 for a swipe to the left, which shows what comes next, and -1 for one to the right. */
export function onSwipe(element: HTMLElement, swiped: (step: 1 | -1) => void): () => void {
  let start: { readonly x: number; readonly y: number } | undefined;
  const began = ({ touches }: TouchEvent) => {
    const [touch] = touches;
    start = touch === undefined || touches.length > 1 ? undefined : { x: touch.clientX, y: touch.clientY };
  };
  const ended = ({ changedTouches: [touch] }: TouchEvent) => {
    if (start === undefined || touch === undefined) return;
    const [across, down] = [touch.clientX - start.x, touch.clientY - start.y];
    start = undefined;
    if (Math.abs(across) < FAR_PX || Math.abs(down) > STEEP * Math.abs(across)) return;
    swiped(across < 0 ? 1 : -1);
  };
  element.addEventListener('touchstart', began, { passive: true });
  element.addEventListener('touchend', ended, { passive: true });
  return () => {
    element.removeEventListener('touchstart', began);
    element.removeEventListener('touchend', ended);
  };
}
