/** Pictures of a community lie together in the vault, so that they go together. */
export const communityFolder = (communityId: number): string => `communities/${communityId}/`
