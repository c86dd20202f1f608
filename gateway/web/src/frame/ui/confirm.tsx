// A question before something that cannot be taken back.
import type { ComponentChildren } from "preact";
import { useModal } from "./modal";

export interface ConfirmProps {
  readonly title: string;
  readonly yes: string;
  readonly no: string;
  /** The answer is grave: its button looks so, and the other one has the focus. */
  readonly grave?: boolean;
  readonly children: ComponentChildren;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

export function Confirm({ title, yes, no, grave = false, children, onYes, onNo }: ConfirmProps) {
  const dialog = useModal();
  return (
    <dialog
      ref={dialog}
      class="confirm"
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onNo();
      }}
    >
      <h2>{title}</h2>
      {children}
      <div class="row confirm-keys">
        <button type="button" onClick={onNo} autoFocus={grave}>
          {no}
        </button>
        <button class={grave ? "danger" : "primary"} type="button" onClick={onYes} autoFocus={!grave}>
          {yes}
        </button>
      </div>
    </dialog>
  );
}
