/* The library behind the interposing one. */
int who(void)
{
    return 2;
}
