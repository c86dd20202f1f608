// Ships met, and the viewer is asked. The dialog lies over the board and can be put aside, because the board is what the
// answer depends on; so it is not modal.
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { isTyping } from "../../frame/ui/typing";
import type { Choice } from "../model/model";
import { encounterTitle } from "../model/prospects";
import { siteName } from "../model/words";
import { ChoiceCard } from "./choice";
import type { PromptProps } from "./props";
import { type ShipQuestion, answerOf, choiceOfKey, faultWords, nextOpen, picksOf, questionsOf, tilesOf } from "./questions";
import { Sides } from "./sides";
import { TimeLeft } from "./timeleft";
import "./prompt.css";

export function EncounterDialog({ session, prompt, names, seat, onSpotlight }: PromptProps) {
  const questions = useMemo(() => questionsOf(prompt), [prompt.turn, prompt.window]);
  const [current, setCurrent] = useState(0);
  const [chosen, setChosen] = useState<ReadonlyMap<number, Choice>>(new Map());
  const [aside, setAside] = useState(false);
  const box = useRef<HTMLElement>(null);
  const heading = useId();
  const question = questions[current];
  const open = questions.filter(({ id }) => !prompt.answered.has(id));
  const unchosen = open.filter(({ id }) => !chosen.has(id));

  useEffect(() => {
    setCurrent(0);
    setChosen(new Map());
    setAside(false);
  }, [prompt.turn, prompt.window]);

  // The dialog takes the focus when it comes and when it is taken up again, and gives it back when it goes.
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    if (!aside) box.current?.focus();
  }, [aside, prompt.turn, prompt.window]);
  useEffect(() => {
    if (question) onSpotlight(tilesOf(prompt, question.encounter));
  }, [prompt.turn, prompt.window, current]);
  useEffect(() => () => onSpotlight([]), []);

  const send = (choices: ReadonlyMap<number, Choice>) => {
    if (choices.size > 0 && !prompt.sending) void session.answer(picksOf(questions, choices));
  };
  const choose = (asked: ShipQuestion, choice: Choice) => {
    if (prompt.answered.has(asked.id) || prompt.sending) return;
    const next = new Map(chosen).set(asked.id, choice);
    setChosen(next);
    if (questions.length === 1) return send(next);
    setCurrent(nextOpen(questions, (id) => next.has(id) || prompt.answered.has(id), current) ?? current);
  };
  const chooseForAll = (choice: Choice) => {
    setChosen(new Map([...chosen, ...open.map(({ id }) => [id, choice] as const)]));
  };
  const pending = () => new Map([...chosen].filter(([id]) => !prompt.answered.has(id)));

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const choice = question && !aside ? choiceOfKey(event.key, question) : null;
    const number = /^[1-9]$/.test(event.key) && !aside ? Number(event.key) - 1 : -1;
    if (event.key.toLowerCase() === "m") setAside(!aside);
    else if (event.key === "Escape" && !aside) setAside(true);
    else if (choice !== null && question) choose(question, choice);
    else if (number >= 0 && number < questions.length) setCurrent(number);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const pressed = useRef(press);
  pressed.current = press;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => pressed.current(event);
    addEventListener("keydown", listen, { capture: true });
    return () => removeEventListener("keydown", listen, { capture: true });
  }, []);

  if (!question) return null;
  const words = progressWords(open.length, unchosen.length);
  if (aside) {
    return (
      <section class="prompt aside panel" role="dialog" aria-label="Encounter, put aside">
        <span class="grow">{words}</span>
        <TimeLeft prompt={prompt} short />
        <button type="button" class="primary" onClick={() => setAside(false)}>
          Back to the encounter
        </button>
      </section>
    );
  }
  const answer = answerOf(prompt, question);
  const preferred = answer === undefined ? (chosen.get(question.id) ?? null) : answer;
  return (
    <section class="prompt panel" role="dialog" aria-labelledby={heading} tabIndex={-1} ref={box}>
      <h2 id={heading}>{encounterTitle(question.encounter)}</h2>
      <div class="prompt-where">
        <span class="soft">
          Turn {prompt.turn}, tick {question.tick}, {siteName(question.encounter.site)}
        </span>
        <button type="button" class="small" aria-keyshortcuts="m" onClick={() => setAside(true)}>
          Look at the map
        </button>
      </div>
      <TimeLeft prompt={prompt} />
      {questions.length > 1 && (
        <div class="prompt-tabs" role="group" aria-label="Ships that are asked">
          {questions.map((each, place) => (
            <button key={each.id} type="button" class="small" aria-pressed={place === current} onClick={() => setCurrent(place)}>
              {place + 1}. Ship {each.ship}
              <span class="prompt-mark">{mark(answerOf(prompt, each), chosen.get(each.id))}</span>
            </button>
          ))}
        </div>
      )}
      {open.length > 1 && questions.every(({ peace }) => peace === question.peace) && (
        <div class="row small" role="group" aria-label="One answer for all ships">
          <span class="soft">One answer for all:</span>
          {question.choices.map((choice) => (
            <button key={choice} type="button" class="small" disabled={prompt.sending} onClick={() => chooseForAll(choice)}>
              All {choice}
            </button>
          ))}
        </div>
      )}
      <Sides board={prompt.board} encounter={question.encounter} ship={question.ship} seat={seat} names={names} />
      <div class="prompt-choices">
        {question.choices.map((choice) => (
          <ChoiceCard
            key={choice}
            board={prompt.board}
            question={question}
            choice={choice}
            pressed={preferred === choice}
            disabled={answer !== undefined || prompt.sending}
            onChoose={() => choose(question, choice)}
          />
        ))}
      </div>
      {prompt.refusal !== null && (
        <p class="notice bad" role="alert">
          {[prompt.refusal.sentence, ...prompt.refusal.faults.map((fault) => faultWords(prompt, fault))].join(" ")}
        </p>
      )}
      <div class="row prompt-foot">
        <span class="grow" role="status">
          {prompt.sending ? "Sending …" : words}
        </span>
        {questions.length > 1 && open.length > 0 && (
          <>
            {unchosen.length > 0 && answer === undefined && chosen.has(question.id) && (
              <button type="button" class="small" onClick={() => send(new Map([[question.id, chosen.get(question.id) ?? question.peace]]))}>
                Send this one
              </button>
            )}
            <button type="button" class="primary" disabled={unchosen.length > 0 || prompt.sending} onClick={() => send(pending())}>
              {open.length === 1 ? "Send the decision" : `Send ${open.length} decisions`}
            </button>
          </>
        )}
      </div>
    </section>
  );
}

function progressWords(open: number, unchosen: number): string {
  if (open === 0) return "Decided. Waiting for the others.";
  if (unchosen === 0) return "Nothing is sent yet.";
  return unchosen === 1 ? "1 ship to decide" : `${unchosen} ships to decide`;
}

function mark(answered: Choice | null | undefined, chosen: Choice | undefined): string {
  if (answered !== undefined) return `${answered ?? "decided"} ✓`;
  return chosen ?? "…";
}
