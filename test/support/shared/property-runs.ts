/** Set by npm run prove -- properties for the long version. */
const factor = Number(process.env.PROPERTY_RUNS_FACTOR || 1)

/** Returns how often a property is tried whose short version tries it `short` times. */
export const propertyRuns = (short: number): number => short * factor
