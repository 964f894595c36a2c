/** How content disappears. The reason of a moderator is shown to its author and other moderators. */
export type Removal = { kind: 'delete' } | Hiding
export type Hiding = { kind: 'hide'; reason: string | null }
