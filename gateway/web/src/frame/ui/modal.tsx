// A dialog over everything else. It takes the focus, keeps it, gives it back, and Escape closes it.
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export interface ModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Opens a dialog over everything else. What had the focus before has it again when the dialog is gone. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement || before instanceof SVGElement) before.focus();
    };
  }, []);
  return dialog;
}

export function Modal({ title, onClose, children }: ModalProps) {
  const dialog = useModal();
  const heading = useId();
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <div class="modal-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" class="icon quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
          ✕
        </button>
      </div>
      {children}
    </dialog>
  );
}
