/** Collects the values of an option that can be repeated. */
export const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value]
