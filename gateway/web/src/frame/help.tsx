// The dialog that says how a game is played, and every key.
import { Modal } from "./ui/modal";

/** What a game tells those who ask how it is played. */
export interface HelpTexts {
  /** The steps of a turn: a word, and what it means. */
  readonly steps: readonly (readonly [string, string])[];
  /** Keys by where they work: the key, and what it does there. */
  readonly keys: readonly (readonly [string, readonly (readonly [string, string])[]])[];
}

export interface HelpProps {
  readonly texts: HelpTexts;
  readonly onClose: () => void;
}

export function Help({ texts, onClose }: HelpProps) {
  return (
    <Modal title="How to play" onClose={onClose}>
      <dl class="help-steps">
        {texts.steps.map(([word, words]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <h3>Keys</h3>
      <div class="help-keys">
        {texts.keys.map(([title, keys]) => (
          <section key={title}>
            <h4>{title}</h4>
            <ul>
              {keys.map(([key, words]) => (
                <li key={key}>
                  <kbd>{key}</kbd> {words}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Modal>
  );
}
