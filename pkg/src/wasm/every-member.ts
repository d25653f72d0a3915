/** Whether each member of a list is such, also one that is missing, which `every` passes over. */
export function everyMember(list: readonly unknown[], is: (member: unknown) => boolean): boolean {
  for (const member of list) if (!is(member)) return false;
  return true;
}
