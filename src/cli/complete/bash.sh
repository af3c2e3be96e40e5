_bd_complete() {
    local one
    COMPREPLY=()
    while IFS= read -r one; do
        COMPREPLY+=("$one")
    done < <(
        BD_COMPLETE=bash BD_COMPLETE_LINE="${COMP_LINE:0:COMP_POINT}" BD_COMPLETE_WORD="$2" bd -- bd 2> /dev/null
    )
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/:] ]]; then
        compopt -o nospace 2> /dev/null
    fi
}
complete -o bashdefault -o nosort -F _bd_complete bd 2> /dev/null || complete -o bashdefault -F _bd_complete bd
