/** The note of what was done where the platform did not say by which id it knows it. */
export const WITHOUT_ID = 'answered without an id'
