// Integers of fixed width, little-endian, one after the other.

/** Bytes that are added to at their end. */
export class ByteWriter {
  private data = new DataView(new ArrayBuffer(1024));
  private size = 0;

  u8(value: number): void {
    const at = this.grow(1);
    this.data.setUint8(at, value);
  }

  u16(value: number): void {
    const at = this.grow(2);
    this.data.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.grow(4);
    this.data.setUint32(at, value, true);
  }

  i64(value: number): void {
    const at = this.grow(8);
    this.data.setBigInt64(at, BigInt(value), true);
  }

  bytes(value: Uint8Array): void {
    const at = this.grow(value.length);
    new Uint8Array(this.data.buffer).set(value, at);
  }

  /** All that was written. */
  taken(): Uint8Array {
    return new Uint8Array(this.data.buffer, 0, this.size);
  }

  /** Makes room, and says where it is. */
  private grow(by: number): number {
    const at = this.size;
    this.size += by;
    if (this.size > this.data.byteLength) {
      const larger = new Uint8Array(Math.max(2 * this.data.byteLength, this.size));
      larger.set(new Uint8Array(this.data.buffer));
      this.data = new DataView(larger.buffer);
    }
    return at;
  }
}

/** Bytes that are taken from the front. */
export class ByteReader {
  private readonly data: DataView;
  private at = 0;

  constructor(
    bytes: Uint8Array,
    /** What is thrown where the bytes are not enough. */
    private readonly fault: (why: string) => Error,
  ) {
    this.data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.data.getUint8(this.take(1));
  }

  u16(): number {
    return this.data.getUint16(this.take(2), true);
  }

  u32(): number {
    return this.data.getUint32(this.take(4), true);
  }

  i64(): bigint {
    return this.data.getBigInt64(this.take(8), true);
  }

  /** How many items follow. Each has a byte at least, so that nobody waits for a list that is not there. */
  count(): number {
    const count = this.u32();
    if (count > this.data.byteLength - this.at) throw this.fault("a list is longer than the rest of it");
    return count;
  }

  isAtEnd(): boolean {
    return this.at === this.data.byteLength;
  }

  private take(size: number): number {
    const at = this.at;
    this.at += size;
    if (this.at > this.data.byteLength) throw this.fault("it ends too early");
    return at;
  }
}
