// Catches what goes wrong in a screen, and says so in one sentence.
import { Component, type ComponentChildren } from "preact";

interface BoundaryProps {
  readonly children: ComponentChildren;
}

export class Boundary extends Component<BoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static override getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  render() {
    if (!this.state.failed) return this.props.children;
    return (
      <main class="plain">
        <div class="notice bad" role="alert">
          <p>Something in this page went wrong; your match is safe on the server.</p>
          <div class="row">
            <button type="button" class="primary" onClick={() => location.reload()}>
              Load the page again
            </button>
            <a class="button" href="#/" onClick={() => this.setState({ failed: false })}>
              To the lobby
            </a>
          </div>
        </div>
      </main>
    );
  }
}
