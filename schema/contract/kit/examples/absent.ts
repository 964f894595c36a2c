/** Marks a field that examples leave out. */
export const absent: unique symbol = Symbol('absent')
