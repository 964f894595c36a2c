export type Silence = { arrived(): void; failed(reason: string): void; end(): void }
export function explainSilence(hint: string, print?: (line: string) => void, afterMs?: number): Silence
